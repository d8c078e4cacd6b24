# SPDX-License-Identifier: Apache-2.0
"""Random windows: every kind x every `fire`, aggregates, several inputs, late events, calendar days.

    python3 generate_windows.py FIRST LAST OUT.t
"""
import sys

from generate_bodies import Body, Generator, Input, write_seeds
from rule_text import NS

DAY = 86400 * NS
# Days of 2027 (from its first) around which the zone changes its clock, and what is odd about it.
ZONES = [("Europe/Paris", 86), ("America/New_York", 72), ("America/New_York", 310), ("Africa/Cairo", 119),
         ("Africa/Cairo", 301), ("America/Havana", 72), ("Asia/Beirut", 86), ("Australia/Lord_Howe", 276),
         ("Asia/Kolkata", 3), ("Pacific/Kiritimati", 2), ("Europe/Paris", 303), ("UTC", 1)]


class RuleGenerator(Generator):
    def number(self):
        return self.random.randrange(1, 4)

    # -- kinds --------------------------------------------------------------------------------
    def kind(self):
        size = self.pick(2, 3, 4, 5)
        self.size, self.zone = size * NS, None
        kind = self.pick("tumbling", "tumbling", "hopping", "session", "session", "sliding", "sliding",
                         "sliding", "global")
        self.steps = [self.size, self.size, NS]
        if kind == "tumbling":
            if self.chance(0.3):
                return self.zoned()
            offset = f" offset {self.random.randrange(1, size)}s" if self.chance(0.3) else ""
            return kind, f"window tumbling {size}s{offset}"
        if kind == "hopping":
            every = self.pick(1, 2)
            count = self.pick(1, 2, 3)
            self.size = every * count * NS
            return kind, f"window hopping {every * count}s every {every}s"
        if kind == "session":
            longest = self.pick("", "", f" max {size + self.pick(1, 2, 3)}s", f" max {3 * size}s")
            return kind, f"window session {size}s{longest}"
        if kind == "sliding":
            return kind, f"window sliding {size}s"
        return kind, f"window global expire {size}s"

    def zoned(self):
        self.zone = self.random.choice(ZONES)
        days = self.pick(1, 1, 1, 2, 7)
        offset = f" offset {self.pick(6, 1, 23)}h" if self.chance(0.2) else ""
        self.steps = [3600 * NS, 12 * 3600 * NS, DAY, 1800 * NS, 15 * 3600 * NS]
        return "tumbling", f"window tumbling {days}d{offset} zone \"{self.zone[0]}\""

    # -- aggregates ---------------------------------------------------------------------------
    def of(self, field):
        return f"{self.random.choice(self.names)}.{field}" if self.named else field

    def extra(self, wants_where=True):
        """`where` and, where it may be, `within`."""
        text = ""
        if wants_where and self.chance(0.15):
            text += " where " + self.condition()
        if self.moving and self.chance(0.25):
            text += f", within {self.pick(1, 2, 4, 7, 10)}s"
        return text

    def condition(self):
        # Of one input, so that what the aggregate is over stays the same.
        return f"{self.one}.k == {self.random.randrange(3)}" if self.named else self.unary()

    def aggregate(self, op, field="x", more=""):
        if self.named:
            self.one = self.random.choice(self.names)
            return f"{op}({self.one}.{field}{more}{self.extra()})"
        return f"{op}({field}{more}{self.extra()})"

    def count(self):
        if self.named and self.chance(0.6):
            self.one = self.random.choice(self.names)
            return self.pick(f"count({self.one})", f"count({self.one})", f"count({self.one}.k == 1)",
                             f"count({self.one}.v >= 1{self.extra(False)})")
        if self.moving and self.chance(0.2):
            return f"count(within {self.pick(1, 2, 4, 7)}s)"
        if not self.named and self.chance(0.2):
            return f"count({self.unary()})"
        return "count()"

    def comparison(self):
        n, op = self.number(), self.pick(">=", ">=", ">=", ">", "==", "<=", "<", "!=")
        choices = [f"{self.count()} {op} {n}", f"{self.count()} >= {n}", f"{self.count()} >= {n}",
                   f"{self.aggregate('sum')} {op} {n}", f"{self.aggregate('sum')} > {2 * n}",
                   f"{self.aggregate('avg')} {op} {n}", f"{self.aggregate('max')} {op} {n}",
                   f"{self.aggregate('min')} {op} {n}",
                   f"{self.aggregate('count_distinct', 'v')} {op} {n}",
                   f"{self.aggregate('count_distinct', 'v')} >= {n}",
                   f"{self.aggregate('last', 'v')} {op} {n}",
                   f"{self.aggregate('first', 'v')} {op} {self.aggregate('last', 'v')}",
                   f"{self.aggregate('sum')} / {self.count()} {op} {n}",
                   f"not {self.count()} > {n}", f"{self.count()} % 2 == {n % 2}",
                   f"({self.count()} >= {n} or {self.aggregate('max')} > 4)",
                   f"{self.aggregate('variance')} > {n}"]
        if not self.named:
            choices.append(f"count_distinct(v, k) >= {n}")
        if self.moving:
            choices += [f"{self.aggregate('sum')} > {n} * {self.aggregate('avg')}"] * 3
        if self.fire and self.fire not in ("close", "match reset"):
            choices += [f"prev({self.of('v')}) {op} {self.aggregate('last', 'v')}", f"exists(prev({self.of('v')}))"]
        return self.random.choice(choices)

    def emitted(self, kind):
        n = self.number()
        choices = [f"n = {self.count()}", "n = count()", f"s = {self.aggregate('sum')}",
                   f"a = {self.aggregate('avg')}", f"lo = {self.aggregate('min')}  hi = {self.aggregate('max')}",
                   f"d = {self.aggregate('count_distinct', 'v')}",
                   f"c = {self.aggregate('collect', 'v', ', 4')}",
                   f"vs = {self.aggregate('values', 'v', ', 4')}", f"tp = {self.aggregate('top', 'v', ', 2')}",
                   f"f = {self.aggregate('first', 'v')}  l = {self.aggregate('last', 'v')}",
                   f"var = {self.aggregate('variance')}", f"sd = {self.aggregate('stddev')}",
                   f"r = {self.aggregate('sum')} * {n} + {self.count()}",
                   f"h = {self.aggregate('avg')} > {n}", f"ft = {self.aggregate('first', 't')}"]
        if kind != "global":
            choices += ["ws = window_start"] * 2
            if self.fires_on_close or kind == "sliding":
                choices += ["we = window_end", "len = window_end - window_start"]
        if not self.fires_on_close and self.fire != "match reset":
            choices.append(f"p = prev({self.of('v')})")
        names, out = set(), []
        for text in self.random.sample(choices, self.random.randrange(1, 4)):
            name = text.split()[0]
            if name not in names:
                names.add(name)
                out.append(text)
        return out

    # -- the rule -----------------------------------------------------------------------------
    def inputs(self, keyed):
        inputs = []
        for name in ["a", "b"][:self.pick(1, 1, 1, 2)]:
            one = Input(name, self.stream())
            if self.chance(0.4):
                one.conds.append(self.unary())
            if keyed and self.chance(0.12):
                one.by = "w"
            inputs.append(one)
        return inputs

    def fire_mode(self, kind):
        modes = ["match", "match", "match reset", "every match", "change"]
        if kind not in ("sliding", "global"):
            modes += ["close"] * 4 + [None] * 4
        else:
            modes += [None]
        return self.random.choice(modes)

    def rule(self, name):
        kind, head = self.kind()
        self.fire = self.fire_mode(kind)
        self.fires_on_close = self.fire == "close" or (not self.fire and kind not in ("sliding", "global"))
        rule = Body(name, head, self.keys())
        rule.inputs = self.inputs(len(rule.keys) == 1)
        self.names, self.moving = [i.name for i in rule.inputs], kind == "sliding"
        self.named = len(self.names) > 1 or self.chance(0.2)
        self.one = self.names[0]
        if self.chance(0.92):
            rule.having = [self.comparison() for _ in range(self.pick(1, 1, 1, 2))]
        if self.fire:
            rule.clauses.append("fire on " + self.fire)
        if self.fires_on_close and not self.zone and " max " not in head and self.chance(0.6):
            rule.clauses.append(f"allow late {self.pick(2, 4, 6, 10, 15)}s")
            self.lateness = self.pick(0, NS, 2 * NS)
        elif self.chance(0.12):
            rule.outside.append(f"suppress {self.number() + 1}s")
        if self.chance(0.3):
            rule.outside.append(f"keep {self.pick(1, 2, 3)}")
        if self.chance(0.85) or self.fire == "change":
            rule.emit = self.emitted(kind)
        return rule

    def events(self, most=22):
        events = super().events(most)
        if self.zone:
            start = (self.zone[1] - 1) * DAY - self.pick(0, 12, 36) * 3600 * NS
            for event in events:
                event.time += max(0, start)
        return events


if __name__ == "__main__":
    print(write_seeds("windows", int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]), "cases of windows")
