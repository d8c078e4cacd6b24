# SPDX-License-Identifier: Apache-2.0
"""The oracle against the vectors of section 3, and against every golden case that it can read."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from case_text import BASE, plain, read_cases, write_alert
from oracle import Event, Readings, run_module
from rule_text import Unsupported, read_rules
from vectors import R, VECTORS, rule_text
import json


def read_events(text):
    """`a1 b2.5 p3{"pid":10}`: stream, second, fields."""
    events = []
    for name, second, fields in re.findall(r"([a-z]+)([\d.]+)(\{[^}]*\})?", text):
        events.append(Event(round(float(second) * 1000) * 10**6, name, len(events) + 1,
                            json.loads(fields or "{}")))
    return events


def shown(alert):
    bound = sorted((e for events in alert.bound.values() for e in events), key=lambda e: e.order)
    text = ",".join(f"{e.time / 10**9:g}" for e in bound)
    return text if alert.time == bound[-1].time else f"{text}@{alert.time / 10**9:g}"


def check_vectors():
    failed = 0
    for row, (pattern, body, head, events, *modes) in enumerate(VECTORS, 1):
        for mode, wanted in zip(("first", "last", "each"), modes):
            if wanted == R:
                continue
            module = read_rules(rule_text(body, head, mode))
            for readings in [Readings()] + Readings.alternatives():
                found = [shown(a) for a in run_module(module, read_events(events), readings)]
                if sorted(found) != sorted(wanted):
                    failed += 1
                    print(f"FAIL vector {row} `{pattern}` {mode}: expected {wanted}, found {found}")
    return failed


def alert_differs(wanted, alert):
    numbers = {}
    for step, events in alert.bound.items():
        numbers[step] = [e.number for e in events]
    for step, events in wanted.bound.items():
        if len(events) == 3 and len(numbers.get(step, [])) == events[2] != 3:
            ends = numbers[step]
            numbers[step] = [ends[0], ends[-1], len(ends)]
    if (wanted.time, wanted.rule, wanted.bound) != (alert.time, alert.rule, numbers):
        return True
    words = wanted.words
    if "cold?" not in words and bool(words.get("cold")) != alert.cold:
        return True
    if int(words.get("suppressed", alert.suppressed)) != alert.suppressed:
        return True
    return not within(words.get("fields", {}), plain_fields(alert))


def plain_fields(alert):
    try:
        return plain(alert.fields)
    except ValueError:
        return None


def within(wanted, found):
    if found is None:
        return True
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(within(v, found.get(k)) for k, v in wanted.items())
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        return abs(wanted - found) < 1e-9 * max(1, abs(wanted))
    return wanted == found


def reads_rules(module):
    """Does a rule, or a stream, read the alerts of another rule?"""
    read = {s for r in module.rules for step in r.all_steps() for s in step.streams}
    read |= {s for inputs, _ in module.streams.values() for s in inputs}
    return any(r.name in read for r in module.rules)


def found_as_wanted(path, case, found, differs, write):
    """Says how the alerts differ from those of the case, if they do. write: how one of them is shown."""
    left = list(found)
    missing = []
    for wanted in case.alerts:
        same = [a for a in left if not differs(wanted, a)]
        if same:
            left.remove(same[0])
        else:
            missing.append(wanted)
    if not missing and not left:
        return True
    print(f"FAIL {path}:{case.line}: {case.name}: the oracle finds")
    for alert in found:
        print("    " + ("+ " if alert in left else "  ") + write(alert))
    for wanted in missing:
        print(f"    - {wanted.rule} at {(wanted.time - BASE) / 10**9:g} {wanted.bound} {wanted.words}")
    return False


def check_case(path, case):
    """True if the oracle agrees, None if it cannot tell."""
    try:
        module = read_rules(case.rule)
        if reads_rules(module):
            raise Unsupported("a rule as a stream")
        found = run_module(module, case.events)
    except Unsupported:
        return None
    return found_as_wanted(path, case, found, alert_differs, write_alert)


def main():
    failed = check_vectors()
    here = os.path.dirname(os.path.abspath(__file__))
    paths = sys.argv[1:] or sorted(glob.glob(os.path.join(here, "..", "golden", "cases", "*.t")))
    counts = {True: 0, False: 0, None: 0}
    for path in paths:
        for case in read_cases(path):
            if case.alerts is not None:
                result = check_case(os.path.relpath(path), case)
                counts[result] += 1
                if result is None and "-v" in os.environ.get("ORACLE_FLAGS", ""):
                    print(f"unread {path}:{case.line}: {case.name}")
    failed += counts[False]
    print(f"oracle: {sum(m != R for v in VECTORS for m in v[4:])} vectors, {counts[True]} golden cases "
          f"agree, {counts[None]} use forms that it does not read")
    print(f"{counts[True]} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
