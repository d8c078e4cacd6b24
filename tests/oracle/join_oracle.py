# SPDX-License-Identifier: Apache-2.0
"""Section 5, brute force: every pair of events of one key is tried, at the later of the two."""
from dataclasses import dataclass, replace

from expression import Scope, true
from oracle import Matcher
from partition import Partition, Run, conjuncts, steps_read
from rule_text import Unsupported
from window_oracle import in_time


@dataclass
class Readings:
    """Numbers are those of READINGS_WINDOWS.md."""
    order: str = "time"             # 30: or "order": `0s..`: of two at one time b must come later
    both_ways: bool = True          # 31: False: two events are one pair, whichever is a
    cut: str = "oldest"             # 32: or "newest": what `limit matches` leaves out
    cut_pairs: str = "paired"       # 33: or "unpaired": events whose pairs were cut

    @staticmethod
    def alternatives(rule, everything=False):
        """Golden cases have fixed them all but 33."""
        others = (("order", "order"), ("both_ways", False), ("cut", "newest"), ("cut_pairs", "unpaired"))
        return [replace(Readings(), **{n: v}) for n, v in others if everything or n == "cut_pairs"]


class JoinRule(Matcher):
    def __init__(self, rule, module, readings=None):
        super().__init__(rule, module, None)
        self.join, self.way = rule.body, readings or Readings()
        if len(self.join.sides) != 2:
            raise Unsupported("a join of more or less than two sides")
        self.a, self.b = self.join.sides

    def part_holds(self, part, event, bound):
        return true(part, Scope(event, bound, self.lists, self.step_names))

    def on_side(self, side, other, event, key):
        """Is it an `a`? What of P reads the other side is judged for each pair."""
        if key not in self.offered_under(side, event):
            return False
        own = [p for p in conjuncts(side.where) if other.name not in steps_read(p, self.step_names)]
        return all(self.part_holds(p, event, {side.name: [event]}) for p in own)

    def pairs(self, a, b):
        """Are they near, and does P of either hold? ("P of either may refer to the other") """
        # "every pair of different events with |time(b) - time(a)| <= D, in either order ...;
        # `within 0s..1h`: b after a"
        if a is b or not self.join.low <= b.time - a.time <= self.join.high:
            return False
        if self.way.order == "order" and self.join.low >= 0 and b.order < a.order:
            return False
        bound = {self.a.name: [a], self.b.name: [b]}
        return all(self.part_holds(p, event, bound)
                   for side, event in ((self.a, a), (self.b, b)) for p in conjuncts(side.where))

    def tell(self, key, time, *bound):
        partition = Partition(self, key)
        run = Run()
        for step, event in sorted(bound, key=lambda s: s[1].order):
            run.bind(step, event)
        self.alert(partition, run, time)

    def found_at(self, event, sides, earlier):
        """The pairs that the event makes with those before it."""
        found = []
        for a, b in [(event, e) for e in earlier] + [(e, event) for e in earlier]:
            if a in sides[0] and b in sides[1] and self.pairs(a, b):
                if self.way.both_ways or not any({id(a), id(b)} == {id(x), id(y)} for x, y in found):
                    found.append((a, b))
        found.sort(key=lambda p: min(p, key=lambda e: e.order).order, reverse=self.way.cut == "oldest")
        return found

    def run_key(self, key, events):
        sides = [[e for e in events if self.on_side(side, other, e, key)]
                 for side, other in ((self.a, self.b), (self.b, self.a))]
        paired, wants_pairs = set(), self.join.unpaired is None
        for n, event in enumerate(events):
            found = self.found_at(event, sides, events[:n])
            kept = found[:self.join.limit]
            for a, b in kept if self.way.cut_pairs == "unpaired" else found:
                paired.update([(0, id(a)), (1, id(b))])
            for a, b in kept if wants_pairs else []:
                self.tell(key, event.time, (self.a, a), (self.b, b))
        # "`b?:` outer (a alone is told at time(a) + D); both optional: full outer; `not b:` only the
        # unpaired a"
        for which, (side, other) in enumerate(((self.a, self.b), (self.b, self.a))):
            if other.min == 0 or self.join.unpaired == other.name:
                reach = self.join.high if which == 0 else -self.join.low
                for event in sides[which]:
                    if (which, id(event)) not in paired:
                        self.tell(key, event.time + max(reach, 0), (side, event))

    def run(self, events, lateness=None):
        events = sorted(in_time(events, lateness), key=lambda e: e.order)
        by_key = {}
        for event in events:
            keys = {}
            for side in (self.a, self.b):
                keys.update(dict.fromkeys(self.offered_under(side, event)))
            for key in keys:
                by_key.setdefault(key, []).append(event)
        for key, own in by_key.items():
            self.run_key(key, own)
        return self.suppressed(sorted(self.alerts, key=lambda a: a.time))
