# SPDX-License-Identifier: Apache-2.0
"""All oracles behind one door: a rule of any body over the events of a case.

    for alert in run_rule(rule, module, events, lateness): ...

`lateness` is None where the order of arrival does not matter.
"""
import join_oracle
import novel_oracle
import window_oracle
from body_text import Join, Novel, Window
from oracle import run_rule as run_match_rule

BODIES = {Window: (window_oracle.WindowRule, window_oracle.Readings),
          Join: (join_oracle.JoinRule, join_oracle.Readings),
          Novel: (novel_oracle.NovelRule, novel_oracle.Readings)}


def run_rule(rule, module, events, lateness=None, readings=None):
    if rule.body is None:
        return run_match_rule(rule, module, window_oracle.in_time(events, lateness))
    return BODIES[type(rule.body)][0](rule, module, readings).run(events, lateness)


def run_module(module, events, lateness=None):
    alerts = [a for rule in module.rules for a in run_rule(rule, module, events, lateness)]
    return sorted(alerts, key=lambda a: (a.time, a.rule))


def signature(alerts):
    from body_text import write_body_alert
    return sorted(write_body_alert(a) + repr(a.key) for a in alerts)


def undecided(rule, module, events, lateness=None, everything=False):
    """The readings that differ from the first on these events."""
    if rule.body is None:
        return []
    readings = BODIES[type(rule.body)][1]
    wanted = signature(run_rule(rule, module, events, lateness))
    return [r for r in readings.alternatives(rule, everything)
            if signature(run_rule(rule, module, events, lateness, r)) != wanted]
