# SPDX-License-Identifier: Apache-2.0
"""Random first sightings: tuples, lists, `within` and its edge, `after`, keys that are forgotten.

    python3 generate_novels.py FIRST LAST OUT.t
"""
import sys

from generate_bodies import Body, Generator, Input, write_seeds
from rule_text import NS


class RuleGenerator(Generator):
    def rule(self, name):
        within = self.pick(2, 3, 5, 8)
        self.steps = [within * NS, within * NS, NS]
        fields = self.pick(["v"], ["v"], ["v"], ["x"], ["t"], ["v", "l"], ["list"], ["list", "v"], ["t", "o"],
                           ["inner.v"])
        tail = f"within {within}s"
        if self.chance(0.45):
            after = self.pick(1, 2, 3, within)
            self.steps.append(after * NS)
            tail += f" after {after}s"
        rule = Body(name, "novel " + ", ".join(fields), [], tail)
        keys = self.keys()
        if keys and not (keys[0] in fields):
            rule.keys = keys
        one = Input("e", self.stream())
        if self.chance(0.4):
            one.conds.append(self.unary())
        if len(rule.keys) == 1 and self.chance(0.08):
            one.by = "w"
        rule.inputs = [one]
        if self.chance(0.15):
            rule.outside.append(f"suppress {self.pick(1, 2, 4)}s")
        if self.chance(0.5):
            rule.emit.append("k = k")
        if self.chance(0.3) and fields == ["v"]:
            rule.emit.append("v = e.v")
        return rule

    def fields(self):
        fields = super().fields()
        fields["inner"] = self.pick({"v": 1}, {"v": 2}, [{"v": 1}, {"v": 3}], {}, {"v": [2, 1]})
        if not isinstance(fields.get("x"), (int, float)):
            fields["x"] = self.pick("1", 1.0, True)
        return fields


if __name__ == "__main__":
    print(write_seeds("novels", int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]), "cases of first sightings")
