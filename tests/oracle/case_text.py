# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the cases of tests/golden (*.t); tests/golden/README.md describes them."""
import json
import re
from dataclasses import dataclass, field

from oracle import Event
from rule_text import Duration, Time, UNITS

BASE = 1798761600 * 10**9       # 2027-01-01T00:00:00Z, the start of each case


@dataclass
class Expected:
    time: int
    rule: str
    bound: dict                 # step -> list of event numbers
    words: dict = field(default_factory=dict)


@dataclass
class Case:
    name: str
    rule: str = ""
    events: list = field(default_factory=list)
    alerts: list = None
    error: str = None
    line: int = 0
    options: str = ""


def read_offset(text):
    m = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)", text)
    if not m:
        raise ValueError("offset " + text)
    whole, _, part = m.group(1).partition(".")
    unit = UNITS[m.group(2)]
    return int(whole) * unit + (int(part) * unit // 10 ** len(part) if part else 0)


def write_offset(ns):
    whole, rest = divmod(ns, 10**9)
    return f"{whole}s" if not rest else f"{whole}.{rest:09d}".rstrip("0") + "s"


def renumber(events):
    """Events after some were dropped: numbers are those of the order in which they are written."""
    return [Event(e.time, e.source, n, e.fields) for n, e in enumerate(events, 1)]


def first_of_each(pairs):
    """Of duplicate keys the first counts."""
    return dict(reversed(pairs))


def event_number(text, case, line):
    if text.startswith("#"):
        return int(text[1:])
    at = [e.number for e in case.events if e.time == BASE + read_offset(text)]
    if len(at) != 1:
        raise ValueError(f"{case.name}: {text} names {len(at)} events: {line}")
    return at[0]


def read_expected(line, case):
    left, brace, rest = line.partition("{")
    words = left.split()
    expected = Expected(BASE + read_offset(words[0]), words[1], {})
    for word in words[2:]:
        name, is_step, value = word.partition("=")
        if name in ("cold", "cold?"):
            expected.words[name] = True
        elif name in ("suppressed", "severity", "risk"):
            expected.words[name] = value
        elif "/" in value:
            ends, _, count = value.partition("/")
            expected.bound[name] = [event_number(e, case, line) for e in ends.split("..")] + [int(count)]
        else:
            expected.bound[name] = [event_number(v, case, line) for v in value.split(",")]
    if brace:
        decoder = json.JSONDecoder()
        expected.words["fields"], end = decoder.raw_decode(brace + rest)
        tail = (brace + rest)[end:].strip()
        while tail:
            word, _, tail = tail.partition(" ")
            value, end = decoder.raw_decode(tail.strip())
            expected.words[word] = value
            tail = tail.strip()[end:].strip()
    return expected


def read_cases(path):
    cases, section, case = [], None, None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("=== "):
            case, section = Case(line[4:].strip(), line=number), None
            cases.append(case)
        elif line.startswith("--- "):
            words = line[4:].split(None, 1)
            section = words[0]
            if section == "events":
                case.options = words[1] if len(words) > 1 else ""
            elif section == "alerts":
                case.alerts = []
            elif section.startswith("error"):
                case.error = words[1] if len(words) > 1 else ""
        elif case is None or not line.strip() or (section != "rule" and line.startswith("#")):
            continue
        elif section == "rule":
            case.rule += line + "\n"
        elif section == "events":
            offset, source, *rest = line.split(None, 2)
            fields = json.loads(rest[0], object_pairs_hook=first_of_each) if rest else {}
            n = len(case.events) + 1
            case.events.append(Event(BASE + read_offset(offset), source, n, {"#": n, **fields}))
        elif section == "alerts":
            case.alerts.append(read_expected(line, case))
    return cases


def write_alert(alert):
    bound = " ".join(f"{step}=" + ",".join(f"#{e.number}" for e in events)
                     for step, events in alert.bound.items())
    text = f"{write_offset(alert.time - BASE)} {alert.rule} {bound}"
    if alert.cold:
        text += " cold"
    if alert.suppressed:
        text += f" suppressed={alert.suppressed}"
    if alert.fields:
        text += " " + json.dumps(plain(alert.fields))
    return text


def plain(value):
    """A value as an alert shows it: durations are numbers of seconds."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, Time):
        raise ValueError("times are not compared")
    if isinstance(value, Duration):
        return int(value) // 10**9 if value % 10**9 == 0 else int(value) / 10**9
    return value


def write_case(name, rule, events, alerts):
    lines = ["=== " + name, "--- rule", rule.rstrip("\n"), "--- events"]
    for e in events:
        fields = {k: v for k, v in e.fields.items() if k != "#"}
        lines.append(f"{write_offset(e.time - BASE)} {e.source} {json.dumps(fields)}".replace(" {}", ""))
    lines.append("--- alerts")
    lines += [write_alert(a) for a in alerts]
    return "\n".join(lines) + "\n\n"
