# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case of windows, joins or first sightings small, as shrink.py does those of match.

    python3 shrink_bodies.py RUN_GOLDEN windows:SEED joins:SEED ...
"""
import copy
import sys

from body_text import write_body_case
from generate_bodies import case_of, expected
from shrink import Shrinker

PARTS = ("outside", "emit", "clauses", "having", "keys")


def variants(module):
    """Smaller modules: a rule less, a clause less, an input's condition less."""
    for n in range(len(module.rules)):
        if len(module.rules) > 1:
            yield lambda m, n=n: m.rules.pop(n)
    for n, rule in enumerate(module.rules):
        for part in PARTS:
            for i in range(len(getattr(rule, part))):
                yield lambda m, n=n, part=part, i=i: getattr(m.rules[n], part).pop(i)
        for i, one in enumerate(rule.inputs):
            if len(rule.inputs) > 1 and rule.head != "join":
                yield lambda m, n=n, i=i: m.rules[n].inputs.pop(i)
            for c in range(len(one.conds)):
                yield lambda m, n=n, i=i, c=c: m.rules[n].inputs[i].conds.pop(c)
            if one.by:
                yield lambda m, n=n, i=i: setattr(m.rules[n].inputs[i], "by", "")
            if one.stream != "s":
                yield lambda m, n=n, i=i: setattr(m.rules[n].inputs[i], "stream", "s")


class BodyShrinker(Shrinker):
    @staticmethod
    def write(name, module, events, alerts):
        return write_body_case(name, module.text(), events, alerts, module.options)

    @staticmethod
    def alerts_of(module, events):
        return expected(module.text(), events, module.options)

    def cut_rule(self):
        for change in variants(self.module):
            module = copy.deepcopy(self.module)
            change(module)
            if self.accept(module, self.events):
                return True
        return False

    def run(self):
        while self.failure and (self.cut_rule() or self.drop_events()):
            pass
        return self.failure is not None


def main():
    for name in sys.argv[2:]:
        kind, _, seed = name.partition(":")
        shrinker = BodyShrinker(sys.argv[1], f"seed {kind} {seed}", case_of(kind, int(seed)))
        if shrinker.run():
            print(f"---- seed {name}, as small as it gets:\n{shrinker.text}\n{shrinker.output}")
        else:
            print(f"---- seed {name} does not fail alone")


if __name__ == "__main__":
    main()
