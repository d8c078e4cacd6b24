#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases of windows, joins and first sightings that no oracle judges: also those where the page can be read
in two ways, sessions that are cut by `max` with late events, several rules. `run_golden -w' asks of them that all
ways of running them (snapshots, records, optimised or not) agree.

    generate_ways.py FIRST LAST OUT
"""
import importlib
import sys

from body_text import write_body_case
from generate_bodies import NS, Bodies, only_used

KINDS = ("windows", "windows", "windows", "joins", "novels")


def case_of(seed):
    kind = KINDS[seed % len(KINDS)]
    generator = importlib.import_module("generate_" + kind).RuleGenerator(seed)
    rule = generator.rule("r")
    head = getattr(rule, "head", "")
    if kind == "windows" and " max " in head and generator.fires_on_close:
        rule.clauses.append("allow late %ds" % generator.pick(2, 4, 10))
        generator.lateness = generator.pick(0, NS, 2 * NS)
    module = Bodies([rule])
    if generator.lateness is not None:
        module.options = " lateness %gs" % (generator.lateness / NS)
    events = only_used(module.text(), generator.events())
    return kind, module, events


def main():
    first, last, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(out, "w", encoding="utf-8") as file:
        for seed in range(first, last):
            kind, module, events = case_of(seed)
            file.write(write_body_case("ways %d (%s)" % (seed, kind), module.text(), events, [], module.options))
    print(last - first, "cases for the ways to agree on")


if __name__ == "__main__":
    main()
