# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case of windows, joins or first sightings small, as shrink.py does those of match.

    python3 shrink_bodies.py RUN_GOLDEN windows:SEED joins:SEED ...
"""
import copy
import sys

from body_text import write_body_case
from generate_bodies import case_of, expected, renumber
from rule_text import Unsupported
from shrink import kind_of_failure, run_golden

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


class Shrinker:
    def __init__(self, program, kind, seed):
        self.program, self.name = program, f"seed {kind} {seed}"
        self.module, self.events, alerts = case_of(kind, seed)
        self.text = write_body_case(self.name, self.module.text(), self.events, alerts, self.module.options)
        code, self.output = run_golden(program, self.text)
        self.failure = kind_of_failure(self.output) if code else None

    def accept(self, module, events):
        events = renumber(events)
        try:
            alerts = expected(module.text(), events, module.options)
        except (Unsupported, IndexError, KeyError, TypeError, AttributeError, ValueError):
            return False
        if alerts is None:
            return False
        text = write_body_case(self.name + ", shrunk", module.text(), events, alerts, module.options)
        code, output = run_golden(self.program, text)
        if not code or kind_of_failure(output) != self.failure:
            return False
        self.module, self.events, self.text, self.output = module, events, text, output
        return True

    def drop_events(self):
        size, smaller = max(1, len(self.events) // 2), False
        while size:
            at = 0
            while at < len(self.events):
                if self.accept(self.module, self.events[:at] + self.events[at + size:]):
                    smaller = True
                else:
                    at += size
            size //= 2
        return smaller

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
        shrinker = Shrinker(sys.argv[1], kind, int(seed))
        if shrinker.run():
            print(f"---- seed {name}, as small as it gets:\n{shrinker.text}\n{shrinker.output}")
        else:
            print(f"---- seed {name} does not fail alone")


if __name__ == "__main__":
    main()
