# SPDX-License-Identifier: Apache-2.0
"""The oracles of windows, joins and first sightings against the golden cases that were made by hand."""
import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from body_oracle import run_module
from body_text import read_bodies, shown, write_body_alert
from case_text import read_cases, read_offset
from rule_text import Unsupported
from test_oracle import found_as_wanted, within


def lateness_of(case):
    words = case.options.split()
    if "lateness" not in words:
        return None
    lateness = read_offset(words[words.index("lateness") + 1])
    seen = None
    for event in case.events:
        if seen is not None and event.time < seen - lateness:
            return lateness
        seen = event.time if seen is None else max(seen, event.time)
    return None


def differs(wanted, alert):
    """As the judge of run_golden compares: only what the case names."""
    words = wanted.words
    bound = {name: [e.number for e in events] for name, events in alert.bound.items() if events}
    retracted = getattr(alert, "retracted", False)
    if (wanted.time, wanted.rule) != (alert.time, alert.rule):
        return True
    if bound != wanted.bound and not (retracted and not wanted.bound):
        return True
    if int(words.get("suppressed", alert.suppressed)) != alert.suppressed:
        return True
    if "revision" in words and words["revision"] != getattr(alert, "revision", 0):
        return True
    if bool(words.get("retracted")) != retracted:
        return True
    return not within(words.get("fields", {}), shown(alert.fields))


def check_case(path, case):
    """True if the oracle agrees, None if it cannot tell."""
    try:
        module = read_bodies(case.rule)
        found = run_module(module, case.events, lateness_of(case))
    except Unsupported as why:
        if "-v" in os.environ.get("ORACLE_FLAGS", ""):
            print(f"unread {path}:{case.line}: {case.name}: {why}")
        return None
    return found_as_wanted(path, case, found, differs, write_body_alert)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    cases = os.path.join(here, "..", "golden", "cases")
    paths = sys.argv[1:] or sorted(p for kind in ("window", "join", "novel")
                                   for p in glob.glob(os.path.join(cases, kind + "*.t")))
    counts = {True: 0, False: 0, None: 0}
    for path in paths:
        for case in read_cases(path):
            if case.alerts is not None:
                counts[check_case(os.path.relpath(path), case)] += 1
    print(f"oracle: {counts[True]} golden cases of windows, joins and first sightings agree, "
          f"{counts[None]} use forms that it does not read")
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
