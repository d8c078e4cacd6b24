# SPDX-License-Identifier: Apache-2.0
"""What generate_windows.py, generate_joins.py and generate_novels.py share: rules as texts in parts,
so that they can be shrunk, streams of events, and which of the cases are kept.

    python3 generate_bodies.py windows|joins|novels FIRST LAST OUT.t
"""
import importlib
import os
import random
import sys
from dataclasses import dataclass, field

from body_oracle import run_module, undecided
from body_text import read_bodies, write_body_case
from case_text import BASE, renumber, write_offset
from oracle import Event
from rule_text import NS, Unsupported

DECLARATIONS = ("stream st = s, t where k <= 1",)
ALL = os.environ.get("ORACLE_ALL") == "1"       # cases in which readings differ too
TEXTS = ["ab", "b", "c", ""]


@dataclass
class Input:
    name: str
    stream: str = "s"
    conds: list = field(default_factory=list)
    by: str = ""
    negative: bool = False
    optional: bool = False

    def text(self):
        where = " where " + " and ".join(self.conds) if self.conds else ""
        by = f" by {self.by}" if self.by else ""
        return f"{'not ' if self.negative else ''}{self.name}{'?' if self.optional else ''}: {self.stream}{by}{where}"


@dataclass
class Body:
    name: str
    head: str                       # "window sliding 5s"
    keys: list = field(default_factory=list)
    tail: str = ""                  # behind the keys: "within 14d"
    inputs: list = field(default_factory=list)
    having: list = field(default_factory=list)
    clauses: list = field(default_factory=list)     # fire ..., allow late ...
    outside: list = field(default_factory=list)     # keep, suppress, limit
    emit: list = field(default_factory=list)

    def text(self):
        by = " by " + ", ".join(self.keys) if self.keys else ""
        lines = [f"rule {self.name} {{"] + ["  " + o for o in self.outside]
        lines.append(f"  {self.head}{by}{' ' + self.tail if self.tail else ''} {{")
        lines += ["    " + i.text() for i in self.inputs]
        if self.having:
            lines.append("    having " + " and ".join(self.having))
        lines += ["    " + c for c in self.clauses] + ["  }"]
        if self.emit:
            lines.append("  emit { " + "  ".join(self.emit) + " }")
        return "\n".join(lines + ["}"])


@dataclass
class Bodies:
    rules: list
    options: str = ""               # " lateness 1s"

    def text(self):
        rules = "\n".join(r.text() for r in self.rules)
        return "\n".join([d for d in DECLARATIONS if d.split()[1] in words_of(rules)] + [rules])


def words_of(text):
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


class Generator:
    """Chances, conditions and events; the subclasses make the rules."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.steps = [NS]           # gaps between events that this rule should meet
        self.lateness = None

    def chance(self, p):
        return self.random.random() < p

    def pick(self, *choices):
        return self.random.choice(choices)

    def stream(self):
        return self.pick("s", "s", "s", "t", "[s, t]", "any", "st")

    def unary(self):
        c = self.random.randrange(3)
        return self.pick(f"k == {c}", f"k == {c}", f"k != {c}", f"k >= {c}", "exists(o)", f"v <= {c + 1}",
                         't != "ab"', f"not k == {c}")

    def keys(self, p=0.6):
        if not self.chance(p):
            return []
        return [self.pick("u", "u", "u", "?o", "list", "who = u")] + (["w"] if self.chance(0.12) else [])

    def fields(self):
        r = self.random
        fields = {"k": r.randrange(3), "v": r.randrange(4), "u": r.randrange(2), "w": r.randrange(2),
                  "l": r.randrange(2), "x": r.choice([0, 1, 2, 3, 5, -1, 4, 1.5, 7])}
        if self.chance(0.15):
            fields["x"] = r.choice(["7", None, [1, 2], True, {"y": 1}, 2.25])
        for name, p in (("v", 0.12), ("x", 0.1), ("u", 0.05)):
            if self.chance(p):
                del fields[name]
        if self.chance(0.5):
            fields["o"] = r.randrange(2)
        if self.chance(0.8):
            fields["t"] = r.choice(TEXTS)
        fields["list"] = self.pick(0, 1, [0, 1], [1, 0, 1], [], [0], [1, None])
        return fields

    def events(self, most=22):
        events, time = [], self.random.randrange(4) * NS
        spread = self.pick(0.4, 0.7, 0.9)
        for number in range(1, self.random.randrange(4, most) + 1):
            if self.chance(spread):
                step = self.random.choice(self.steps + [NS, NS, 2 * NS])
                time += max(0, step + self.pick(0, 0, 0, 0, 0, 1, -1))
            elif self.chance(0.05):
                time += 1
            events.append(Event(BASE + time, self.pick("s", "s", "t"), number, self.fields()))
        return self.delayed(events) if self.lateness is not None else events

    def delayed(self, events):
        """Some arrive after events of later times: maybe too late."""
        arrival = []
        for event in events:
            late = self.pick(1, 2, 3, 4, 6, 8, 12) * NS + self.pick(0, 0, 1)
            arrival.append((event.time + (late if self.chance(0.35) else 0), event.number, event))
        arrival.sort(key=lambda a: a[:2])
        return renumber([e for _, _, e in arrival])


def only_used(text, events):
    words = words_of(text)
    return [Event(e.time, e.source, e.number, {k: v for k, v in e.fields.items() if k in words})
            for e in events]


def late_of(options, events):
    """The lateness, if an event is late: what the runner asks too."""
    if not options:
        return None
    from test_body_oracle import lateness_of
    from case_text import Case
    return lateness_of(Case("", events=events, options=options.strip()))


def decided(module, events, lateness):
    """The alerts; None if readings differ or the page does not say which of two is let through."""
    for rule in module.rules:
        if not ALL and undecided(rule, module, events, lateness):
            return None
        if rule.suppress is not None:
            period, rule.suppress = rule.suppress, None
            free = [(a.time, a.key) for a in run_module(module, events, lateness) if a.rule == rule.name]
            rule.suppress = period
            if len(free) != len(set(free)):
                return None
    return run_module(module, events, lateness)


def expected(text, events, options=""):
    return decided(read_bodies(text), events, late_of(options, events))


def make_case(generator, tries=8):
    """(module, events, alerts), or None if the seed makes no case."""
    module = Bodies([generator.rule("r")])
    if generator.lateness is None and generator.chance(0.1):
        module.rules.append(generator.rule("q"))
    if generator.lateness is not None:
        module.options = " lateness " + write_offset(generator.lateness)
    text, wants_none = module.text(), generator.chance(0.06)
    read = read_bodies(text)
    for _ in range(tries):
        events = only_used(text, generator.events())
        try:
            alerts = decided(read, events, late_of(module.options, events))
        except Unsupported:
            continue
        if alerts is None or len(alerts) > 60:
            continue
        if module.options and not wants_none and not any(getattr(a, "revision", 0) for a in alerts):
            continue
        rules = {a.rule for a in alerts}
        if not rules if wants_none else len(rules) == len(module.rules):
            return module, events, alerts
    return None


def case_of(kind, seed):
    return make_case(importlib.import_module("generate_" + kind).RuleGenerator(seed))


def write_seeds(kind, first, last, out):
    n = 0
    with open(out, "w", encoding="utf-8") as file:
        for seed in range(first, last):
            case = case_of(kind, seed)
            if case:
                module, events, alerts = case
                file.write(write_body_case(f"seed {kind} {seed}", module.text(), events, alerts,
                                           module.options))
                n += 1
    return n


if __name__ == "__main__":
    print(write_seeds(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]), sys.argv[1], "cases")
