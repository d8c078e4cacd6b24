# SPDX-License-Identifier: Apache-2.0
"""Random joins: bounds, outer both ways, `not`, predicates across, keys of their own, limits.

    python3 generate_joins.py FIRST LAST OUT.t
"""
import sys

from generate_bodies import Body, Generator, Input, write_seeds
from rule_text import NS


class RuleGenerator(Generator):
    def bounds(self):
        size = self.pick(1, 2, 3, 4)
        self.steps = [size * NS, size * NS, NS]
        if self.chance(0.55):
            return f"within {size}s"
        low, high = self.pick((0, size), (0, size), (0, size), (1, size + 1), (-size, 1), (-1, size), (-2, 0),
                              (0, 0), (2, 2), (-3, -1))
        return "within " + " .. ".join(("-" if n < 0 else "") + f"{abs(n)}s" for n in (low, high)).replace(" ", "")

    def cross(self, other):
        op = self.pick("==", "==", "!=", "<", "<=", ">", ">=")
        return self.pick(f"v {op} {other}.v", f"v {op} {other}.v", f"{other}.l == l", f"l != {other}.l",
                         f"time() - time({other}) >= 1s", f"exists({other}.o)", f"k + {other}.k <= 2")

    def rule(self, name):
        rule = Body(name, "join", self.keys(1.0), self.bounds())
        rule.tail, a, b = rule.tail, Input("a", self.stream()), Input("b", self.stream())
        for side, other in ((a, "b"), (b, "a")):
            if self.chance(0.6):
                side.conds.append(self.unary())
            if self.chance(0.3):
                side.conds.append(self.cross(other))
            if len(rule.keys) == 1 and self.chance(0.12):
                side.by = "w"
        shape = self.pick("", "", "", "b?", "b?", "a?", "both", "not b", "not b", "not a")
        a.optional, b.optional = shape in ("a?", "both"), shape in ("b?", "both")
        a.negative, b.negative = shape == "not a", shape == "not b"
        rule.inputs = [a, b]
        if shape == "" and self.chance(0.12):
            rule.outside.append(f"limit matches {self.pick(1, 2)} per event")
        if self.chance(0.1):
            rule.outside.append(f"suppress {self.pick(1, 2, 3)}s")
        for field in ("v", "k"):
            for side in (a, b):
                if not side.negative and self.chance(0.3):
                    rule.emit.append(f"{side.name}{field} = {side.name}.{field}")
        if self.chance(0.2):
            rule.emit.append("one = v")
        return rule

    def events(self, most=16):
        return super().events(most)


if __name__ == "__main__":
    print(write_seeds("joins", int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]), "cases of joins")
