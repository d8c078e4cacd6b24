# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case small: drops events, elements and conditions while it still fails.

    python3 shrink.py RUN_GOLDEN SEED ...
"""
import copy
import os
import re
import subprocess
import sys
import tempfile

from case_text import renumber, write_case
from generate import case_of, expected
from rule_text import Unsupported


def run_golden(program, text):
    with tempfile.NamedTemporaryFile("w", suffix=".t", delete=False, encoding="utf-8") as file:
        file.write(text)
    try:
        done = subprocess.run([program, "-q", file.name], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout.replace(file.name + ":", "") + done.stderr[-4000:]
    except subprocess.TimeoutExpired:
        return 1, "it does not end\n"
    finally:
        os.unlink(file.name)


def kind_of_failure(output):
    """So that one failure is not shrunk into another: refusal, crash, or wrong alerts."""
    if "does not compile" in output:
        return "compile"
    way = re.search(r"\(([a-z_, ]+)\):", output.split("\n")[0])
    return "crash" if "signal" in output or "Sanitizer" in output else way.group(1) if way else "alerts"


def variants_of_step(step):
    for n in range(len(step.conds)):
        yield lambda s, n=n: s.conds.pop(n)
    if step.quantifier:
        yield lambda s: setattr(s, "quantifier", "")
        if step.quantifier not in ("{2}", "?"):
            yield lambda s: setattr(s, "quantifier", "{2}")
    if step.within:
        yield lambda s: setattr(s, "within", 0)
    if step.by:
        yield lambda s: setattr(s, "by", "")
    if step.stream != "s":
        yield lambda s: setattr(s, "stream", "s")


def variants_of_rule(rule):
    """Smaller rules, the boldest cuts first."""
    for n in range(len(rule.elements)):
        yield lambda r, n=n: r.elements.pop(n)
        if rule.elements[n].next:
            yield lambda r, n=n: setattr(r.elements[n], "next", False)
        if rule.elements[n].need:
            yield lambda r, n=n: setattr(r.elements[n], "need", 0)
        for m in range(len(rule.elements[n].steps)):
            if len(rule.elements[n].steps) > 1:
                yield lambda r, n=n, m=m: r.elements[n].steps.pop(m)
    for name, value in (("until", None), ("suppress", 0), ("keys", []), ("emit", [])):
        if getattr(rule, name):
            yield lambda r, name=name, value=value: setattr(r, name, value)
    if rule.mode != "first":
        yield lambda r: setattr(r, "mode", "first")
    for n, element in enumerate(rule.elements):
        for m, step in enumerate(element.steps):
            for change in variants_of_step(step):
                yield lambda r, n=n, m=m, change=change: change(r.elements[n].steps[m])
    if rule.until:
        for change in variants_of_step(rule.until):
            yield lambda r, change=change: change(r.until)


def variants(module):
    for n in range(len(module.rules)):
        if len(module.rules) > 1:
            yield lambda m, n=n: m.rules.pop(n)
        for change in variants_of_rule(module.rules[n]):
            yield lambda m, n=n, change=change: change(m.rules[n])


class Shrinker:
    """Of match; shrink_bodies.py has the one of other bodies."""

    def __init__(self, program, name, case):
        self.program, self.name = program, name
        self.module, self.events, alerts = case
        self.text = self.write(name, self.module, self.events, alerts)
        code, self.output = run_golden(program, self.text)
        self.failure = kind_of_failure(self.output) if code else None

    @staticmethod
    def write(name, module, events, alerts):
        return write_case(name, module.text(), events, alerts)

    @staticmethod
    def alerts_of(module, events):
        """None where the readings differ."""
        return expected(module.text(), events)

    def accept(self, module, events):
        """Takes the smaller case if it is one, its readings agree, and it fails in the same way."""
        events = renumber(events)
        try:
            alerts = self.alerts_of(module, events)
        except (Unsupported, IndexError, KeyError, TypeError, AttributeError, ValueError):
            return False
        if alerts is None:
            return False
        text = self.write(self.name + ", shrunk", module, events, alerts)
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
                if not self.accept(self.module, self.events[:at] + self.events[at + size:]):
                    at += size
                else:
                    smaller = True
            size //= 2
        return smaller

    def cut_rule(self):
        smaller, again = False, True
        while again:
            again = False
            for change in variants(self.module):
                module = copy.deepcopy(self.module)
                change(module)
                if all(r.elements for r in module.rules) and self.accept(module, self.events):
                    smaller = again = True
                    break
        return smaller

    def drop_fields(self):
        for name in ("o", "t", "list", "w", "u", "l", "v", "k"):
            events = copy.deepcopy(self.events)
            for event in events:
                event.fields.pop(name, None)
            self.accept(self.module, events)

    def run(self):
        if self.failure:
            while self.drop_events() or self.cut_rule():
                pass
            self.drop_fields()
        return self.failure is not None


def main():
    for seed in map(int, sys.argv[2:]):
        shrinker = Shrinker(sys.argv[1], f"seed {seed}", case_of(seed))
        if shrinker.run():
            print(f"---- seed {seed}, as small as it gets:\n{shrinker.text}\n{shrinker.output}")
        else:
            print(f"---- seed {seed} does not fail alone")


if __name__ == "__main__":
    main()
