# SPDX-License-Identifier: Apache-2.0
"""Random rules and random streams, with the alerts that the oracle finds, as a .t file.

    python3 generate.py FIRST LAST OUT.t           cases of the seeds FIRST..LAST-1

A seed is one case for ever, as long as this file does not change. Small alphabets, many equal times,
small D, steps that fit the same events. Cases in which the readings of READINGS.md differ are left
out, as are most that give no alert.
"""
import random
import sys
from dataclasses import dataclass, field, replace

from case_text import BASE, write_case
from oracle import Event, Readings, run_rule
from rule_text import NS, read_rules


@dataclass
class GenStep:
    name: str
    stream: str
    conds: list = field(default_factory=list)
    quantifier: str = ""
    within: int = 0
    by: str = ""

    def text(self):
        where = " where " + " and ".join(self.conds) if self.conds else ""
        within = f" within {self.within}s" if self.within else ""
        by = f" by {self.by}" if self.by else ""
        return f"{self.name}{self.quantifier}: {self.stream}{by}{where}{within}"


@dataclass
class GenElement:
    kind: str            # step any all not
    steps: list
    need: int = 0
    next: bool = False

    def text(self):
        prefix = "next " if self.next else ""
        if self.kind == "not":
            return "not " + self.steps[0].text()
        if self.kind == "step":
            return prefix + self.steps[0].text()
        need = f" {self.need}" if self.need else ""
        return f"{prefix}{self.kind}{need} {{ " + "  ".join(s.text() for s in self.steps) + " }"

    def may_be_empty(self):
        return self.kind == "step" and self.steps[0].quantifier in ("?", "*")


@dataclass
class GenRule:
    mode: str
    within: int
    keys: list
    elements: list
    until: GenStep = None
    suppress: int = 0
    emit: list = field(default_factory=list)
    name: str = "r"

    def text(self):
        head = f"match{' by ' + ', '.join(self.keys) if self.keys else ''}"
        if self.within:
            head += f" within {self.within}s"
        if self.mode != "first":
            head += " select " + self.mode
        lines = [f"rule {self.name} {{", "  keep 1000"]
        if self.suppress:
            lines.append(f"  suppress {self.suppress}s")
        lines.append(f"  {head} {{")
        lines += ["    " + e.text() for e in self.elements]
        if self.until:
            lines.append("    until " + self.until.text())
        lines.append("  }")
        if self.emit:
            lines.append("  emit { " + "  ".join(self.emit) + " }")
        return "\n".join(lines + ["}"])


@dataclass
class GenModule:
    rules: list
    declarations: tuple = ("stream st = s, t where v >= 1", "list few = [0, 1]",
                           'list names = like ["a*", "?c"]')

    def text(self):
        rules = "\n".join(r.text() for r in self.rules)
        words = set(words_of(rules))
        return "\n".join([d for d in self.declarations if d.split()[1] in words] + [rules])


def words_of(text):
    return "".join(c if c.isalnum() else " " for c in text).split()


TEXTS = ["ab", "Ab", "b", "bc", "cab", ""]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bound = []          # earlier steps: (name, is it quantified)
        self.n = 0

    def chance(self, p):
        return self.random.random() < p

    def pick(self, *choices):
        return self.random.choice(choices)

    # -- conditions ---------------------------------------------------------------------------
    def unary(self):
        c, d = self.random.randrange(3), self.random.randrange(3)
        if self.chance(0.15):
            return self.pick('t like "a*"', 't contains "b"', 't ==~ "AB"', 't not contains "a"',
                             "t regex '^a'", 't in~ ["AB", "bc"]', 't startswith ["a", "c"]',
                             't endswith~ "B"', 't != "ab"', 't contains_all ["a", "b"]', "t in names",
                             "t not in names", "k in few", "k not in few")
        return self.pick(f"k == {c}", f"k == {c}", f"k == {c}", f"k in [{c}, {d}]", f"k >= {c}",
                         f"k != {c}", f"v >= {c}", f"(k == {c} or v == {d})", f"not k == {c}", "exists(o)",
                         f"(o ?? {c}) == {d}")

    def cross(self):
        name, quantified = self.random.choice(self.bound)
        op = self.pick("==", "!=", "<", "<=", ">", ">=")
        if self.chance(0.3):
            return self.pick(f"l == {name}.l", f"l == {name}.l", f"{name}.l == l", f"v == {name}.v")
        choices = [f"v {op} {name}.v", f"v {op} {name}.v",
                   f"v != {name}.o", f"time() - time({name}) >= {self.random.randrange(3)}s",
                   f"exists({name})"]
        if quantified:
            n = self.random.randrange(1, 4)
            choices = [f"count({name}) >= {n}", f"sum({name}.v) > {n}", f"v {op} first({name}).v",
                        f"v {op} last({name}).v", f"avg({name}.v) {op} {n}",
                        f"count_distinct({name}.v) {op} {n}", f"v in values({name}.v)",
                        f"min({name}.v) {op} {n}", f"max({name}.v) {op} {n}", f"not count({name}) == {n}"]
        return self.random.choice(choices)

    def own(self, name):
        return self.pick(f"(not exists(prev({name}).v) or v >= prev({name}).v)",
                         f"(not exists(prev({name})) or v != prev({name}).v)".replace(
                             f"exists(prev({name}))", f"exists(prev({name}).v)"),
                         f"count({name}) < {self.random.randrange(1, 4)}",
                         f"(sum({name}.v) ?? 0) + v <= {self.random.randrange(2, 6)}")

    def step(self, letter, cross=0.3):
        self.n += 1
        step = GenStep(f"{letter}{self.n}", self.pick(*"ssssst", "t", "[s, t]", "any", "st"))
        if self.chance(0.85):
            step.conds.append(self.unary())
        if self.bound and self.chance(cross):
            step.conds.append(self.cross())
        if self.keyed_apart and self.chance(0.4):
            step.by = "w"
        return step

    def quantifier(self, mode, last):
        if mode == "last":
            return self.pick("{2}", "{3}") if last else self.pick("{2}", "{2}", "{3}", "?", "?")
        if last:
            return self.pick("{2}", "{3}", "{2,}", "+", "{2,4}")
        return self.pick("{2}", "{3}", "{2,}", "+", "+", "*", "*", "?", "{2,3}", "{1,2}")

    # -- elements -----------------------------------------------------------------------------
    def group(self, mode):
        kind = self.pick("any", "all", "all")
        element = GenElement(kind, [])
        names, quantified = [], False
        for _ in range(self.random.randrange(2, 4)):
            step = self.step("g", cross=0.2)
            if kind == "all" and not quantified and self.chance(0.2):
                step.quantifier, quantified = "{2}", mode == "last"
            if self.chance(0.1) and (self.bound or kind == "all"):
                step.within = self.random.randrange(1, 5)
            names.append((step.name, step.quantifier != ""))
            element.steps.append(step)
        if kind == "all" and len(element.steps) == 3 and self.chance(0.4):
            element.need = 2
        if kind == "all" and not any(s.quantifier for s in element.steps) and self.chance(0.25):
            one, two = self.random.sample(element.steps, 2)
            one.conds.append(f"v {self.pick('!=', '<=', '>=')} {two.name}.v")
        self.bound += names
        return element

    def element(self, mode, last):
        if self.chance(0.2):
            return self.group(mode)
        step = self.step("a")
        quantified = self.chance(0.35)
        if quantified:
            step.quantifier = self.quantifier(mode, last)
            if self.chance(0.3) and step.quantifier != "?":
                step.conds.append(self.own(step.name))
        # READINGS 19: a first element that takes one event has no `within`.
        if self.chance(0.12) and (self.bound or step.quantifier not in ("", "?")):
            step.within = self.random.randrange(1, 5)
        self.bound.append((step.name, quantified))
        return GenElement("step", [step])

    def nots(self, where):
        nots = []
        while self.chance(0.22 if not nots else 0.15):
            bound = self.bound
            if where == "lead":
                self.bound = []
            step = self.step("n", cross=0.25)
            self.bound = bound
            if where == "lead":
                step.within = self.pick(0, 1, 2, 4)
            elif where == "trail":
                step.within = self.pick(0, 1, 2, 4)
            nots.append(GenElement("not", [step]))
        return nots

    def rule(self):
        mode = self.pick("first", "first", "last", "each")
        self.keyed_apart = False
        keys = []
        if self.chance(0.5):
            keys = [self.pick("u", "u", "?o", "list")] + (["w"] if self.chance(0.15) else [])
            self.keyed_apart = len(keys) == 1 and self.chance(0.2)
        count = self.pick(1, 2, 2, 2, 3, 3, 3, 4)
        elements = [] if not self.chance(0.3) else self.nots("lead")
        taking = 0
        while taking < count:
            last = taking == count - 1
            element = self.element(mode, last)
            behind = elements[-1] if elements and taking else None
            before = [e for e in elements if e.kind != "not"]
            if before and not before[-1].may_be_empty() and not element.may_be_empty() and self.chance(0.12):
                element.next = behind.kind != "not"
            elements.append(element)
            taking += 1
            if not element.may_be_empty():
                elements += self.nots("trail" if last else "gap")
        rule = GenRule(mode, self.random.randrange(2, 11), keys, elements)
        if self.chance(0.2):
            rule.until = self.step("u", cross=0.3)
        if self.chance(0.2 if mode == "first" else 0.05):
            rule.suppress = self.random.randrange(1, 6)
        for name, quantified in self.bound:
            if self.chance(0.3):
                rule.emit.append(f"x{name} = {name}.v")
            if quantified and self.chance(0.5):
                rule.emit.append(f"c{name} = count({name})  s{name} = sum({name}.v)")
        return rule

    # -- events -------------------------------------------------------------------------------
    def events(self):
        events, time = [], 0
        spread = self.pick(0.3, 0.6, 0.8)
        for number in range(1, self.random.randrange(5, 26) + 1):
            if self.chance(spread):
                time += self.pick(NS, NS, NS, 2 * NS, 3 * NS)
            if self.chance(0.03):
                time += 1
            r = self.random
            fields = {"k": r.randrange(3), "v": r.randrange(4), "l": r.randrange(2), "u": r.randrange(2),
                      "w": r.randrange(2)}
            if self.chance(0.5):
                fields["o"] = r.randrange(2)
            if self.chance(0.8):
                fields["t"] = r.choice(TEXTS)
            if self.chance(0.1):
                del fields["u"]
            fields["list"] = self.pick(0, 1, [0, 1], [1, 0, 1], [], [0])
            events.append(Event(BASE + time, self.pick("s", "s", "t"), number, fields))
        return events


def only_used(rule_text, events):
    """The events without the fields that the rule does not name: cases are to be read."""
    words = set(words_of(rule_text))
    for event in events:
        event.fields = {k: v for k, v in event.fields.items() if k in words}
    return events


def signature(alerts):
    return sorted(repr((a.time, a.key, a.cold, a.suppressed, sorted(
        (name, [e.number for e in events]) for name, events in a.bound.items()))) for a in alerts)


def told(module, events):
    alerts = [a for rule in module.rules for a in run_rule(rule, module, events)]
    return sorted(alerts, key=lambda a: (a.time, a.rule))


def readings_agree(module, events, alerts):
    for rule in module.rules:
        found = signature([a for a in alerts if a.rule == rule.name])
        for readings in Readings.alternatives(rule):
            if signature(run_rule(rule, module, events, readings)) != found:
                return False
        if rule.suppress is not None:
            free = [(a.time, a.key) for a in run_rule(replace(rule, suppress=None), module, events)]
            if len(free) != len(set(free)):
                return False
    return True


def expected(rule_text, events):
    """The alerts, or None if the readings differ."""
    module = read_rules(rule_text)
    alerts = told(module, events)
    return alerts if readings_agree(module, events, alerts) else None


def case_of(seed):
    """(module, events, alerts), or None if the seed makes no case."""
    generator = Generator(seed)
    module = GenModule([generator.rule()])
    if generator.chance(0.15):
        generator.bound = []
        module.rules.append(replace(generator.rule(), name="q"))
    text = module.text()
    read = read_rules(text)
    wants_none = generator.chance(0.08)
    for _ in range(4):
        events = only_used(text, generator.events())
        alerts = told(read, events)
        rules = {a.rule for a in alerts}
        enough = not rules if wants_none else len(rules) == len(module.rules)
        if enough and readings_agree(read, events, alerts):
            return module, events, alerts
    return None


def write_seeds(first, last, out):
    n = 0
    with open(out, "w", encoding="utf-8") as file:
        for seed in range(first, last):
            case = case_of(seed)
            if case:
                module, events, alerts = case
                file.write(write_case(f"seed {seed}", module.text(), events, alerts))
                n += 1
    return n


if __name__ == "__main__":
    print(write_seeds(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]), "cases")
