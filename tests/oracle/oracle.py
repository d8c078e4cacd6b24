# SPDX-License-Identifier: Apache-2.0
"""A brute-force matcher of section 3 of the language, `select all` left out.

Every run is an object, every event is offered to every run, and nothing is clever: this is what the
engine is judged by. Each sentence of section 3 stands as a comment ("...") where it is done: what concerns
the runs of one key in partition.py, the rest here.
Where the text can be read in more than one way the reading is a field of Readings, explained in
READINGS.md; generate.py leaves out the cases in which the readings differ.

    for alert in run_rule(rule, module, events): ...
"""
import itertools
from dataclasses import dataclass, field, replace
from typing import Optional

from expression import Scope, evaluate, kind_of, true
from partition import Partition, conjuncts, steps_read
from rule_text import Rule, Step


@dataclass
class Readings:
    """Numbers are those of READINGS.md; the defaults are the readings that the cases expect."""
    deadline_tie: str = "one"       # 1: or "each": every one that no earlier match ended
    began_by: str = "order"         # 2: or "time"
    any_slot: str = "step"          # 3: or "element"
    not_links: bool = True          # 4: equalities of `not` and `until` link
    next_full: str = "max"          # 5: or "min"
    link_value: str = "last"        # 6: or "first"
    swap: str = "depth"             # 7: or "listed", "newest", "breadth"
    seen_since: str = "any"         # 8: or "read"
    started_stays: bool = True      # 9: False: a run that an event makes does not replace one that
                                    # the same event brought to its slot

    @staticmethod
    def alternatives(rule=None):
        """Each other reading that can matter to the rule."""
        groups = rule is None or any(e.kind != "step" for e in rule.elements)
        steps = rule.all_steps() if rule else []
        quantified = rule is None or any(s.quantified for s in steps)
        first = rule is None or rule.select == "first"
        last = rule is None or rule.select == "last"
        nots = rule is None or rule.until or any(e.nots for e in rule.elements)
        trail = rule is None or rule.trail_nots
        other = [("deadline_tie", "each", first and trail), ("began_by", "time", first and trail),
                 ("any_slot", "element", last and groups), ("not_links", False, nots),
                 ("next_full", "min", quantified), ("link_value", "first", quantified),
                 ("swap", "listed", groups), ("swap", "newest", groups), ("swap", "breadth", groups),
                 ("seen_since", "read", rule is None or rule.lead_nots),
                 ("started_stays", False, last and quantified)]
        return [replace(Readings(), **{name: value}) for name, value, matters in other if matters]


@dataclass
class Event:
    time: int
    source: str
    number: int                     # offset in its partition; also its number in the case, from 1
    fields: dict

    @property
    def order(self):
        """The order is (event time, source name, partition, generation, offset)."""
        return (self.time, self.source, self.number)


@dataclass
class Alert:
    time: int
    rule: str
    key: tuple
    bound: dict                     # step -> events
    fields: dict = field(default_factory=dict)
    cold: bool = False
    suppressed: int = 0
    start: Optional[Event] = None


class Matcher:
    """One rule over the events, in their order."""

    def __init__(self, rule: Rule, module, readings=None):
        self.rule, self.module, self.readings = rule, module, readings or Readings()
        self.lists = module.lists
        self.steps = rule.all_steps()
        self.step_names = {s.name for s in self.steps}
        self.partitions, self.alerts = {}, []
        self.first_time = None
        self.links = list(self.find_links())
        self.keyed = bool(rule.keys) or any(s.keys for s in self.steps)
        self.known_keys = {}    # (step, event) -> keys, [] if the step does not read its stream

    def stream_fits(self, stream, event):
        if stream == "any":
            return True
        if stream not in self.module.streams:
            return event.source == stream
        inputs, where = self.module.streams[stream]
        return (any(self.stream_fits(i, event) for i in inputs) and
                true(where, Scope(event, {}, self.lists, set())))

    def reads(self, step: Step, event):
        return any(self.stream_fits(s, event) for s in step.streams)

    def keys_of(self, step: Step, event):
        """"An event that lacks a key is not offered"; "?path (missing is a value of its own)"; "A
        list-valued key offers it under each element" """
        if not self.keyed:
            return [()]
        parts = []
        for key in step.keys or self.rule.keys:
            value = evaluate(key.expr, Scope(event, {}, self.lists, set()))
            values = value if isinstance(value, list) else [value]
            if key.optional and value is None:
                parts.append([("missing", None)])
            else:
                parts.append([(kind_of(v), v) for v in values if v is not None])
        return list(dict.fromkeys(itertools.product(*parts)))

    def offered_under(self, step, event):
        known = (step.name, id(event))
        if known not in self.known_keys:
            reads = self.reads(step, event)
            self.known_keys[known] = self.keys_of(step, event) if reads else []
        return self.known_keys[known]

    def crossed(self, group):
        names = {s.name for s in group.steps}
        return any(steps_read(part, names) - {s.name}
                   for s in group.steps for part in conjuncts(s.where))

    def find_links(self):
        """"An equality of a step's field with an earlier step's field (a conjunct `ppid == p.pid`)" """
        taking = [s for e in self.rule.elements for s in e.steps]
        for step in self.steps if self.readings.not_links else taking:
            for part in conjuncts(step.where):
                if part.kind != "binary" or part.op != "==" or part.fold:
                    continue
                for own, far in (part.args, part.args[::-1]):
                    if (own.kind == "path" and own.value[0] not in self.step_names and
                            far.kind == "path" and far.value[0] in self.step_names and
                            far.value[0] != step.name):
                        path = type(far)("path", value=far.value[1:])
                        yield far.value[0], path

    def run(self, events):
        for event in sorted(events, key=lambda e: e.order):
            if self.first_time is None and (self.readings.seen_since == "any" or
                                            any(self.reads(s, event) for s in self.steps)):
                self.first_time = event.time
            for partition in self.partitions.values():
                partition.decide_deadlines(event.time)
            # "An event is offered under each key that a step reading its stream gives it, once"
            keys = {}
            for step in self.steps:
                keys.update(dict.fromkeys(self.offered_under(step, event)))
            for key in keys:
                if key not in self.partitions:
                    self.partitions[key] = Partition(self, key)
                self.partitions[key].feed(event)
        for partition in self.partitions.values():
            partition.decide_deadlines(None)
        return self.suppressed(sorted(self.alerts, key=lambda a: a.time))

    def alert(self, partition, run, time):
        fields = {}
        scope = Scope(run.last, run.bound, self.lists, self.step_names)
        names = [key.name for key in self.rule.keys]
        for left, expr in self.rule.emit:
            # "In `emit` a bare path is a key, or else a field of the event that completed the match"
            name = ".".join(map(str, expr.value)) if expr.kind == "path" else None
            value = partition.key[names.index(name)][1] if name in names else evaluate(expr, scope)
            here = fields
            for part in left[:-1]:
                here = here.setdefault(part, {})
            here[left[-1]] = value
        bound = {name: list(events) for name, events in run.bound.items() if events}
        self.alerts.append(Alert(run.last.time if time is None else time, self.rule.name,
                                 partition.key, bound, fields, run.cold, start=run.start))

    def suppressed(self, alerts):
        """Section 8: "d of event time runs from the last alert let through (one at last + d is let
        through). The next one let through carries how many were held" """
        if self.rule.suppress is None:
            return alerts
        passed, last, held = [], {}, {}
        for alert in alerts:
            key = alert.key
            if self.rule.suppress_by:
                key = tuple(str(self.suppress_value(path, alert)) for path in self.rule.suppress_by)
            if key in last and alert.time - last[key] < self.rule.suppress:
                held[key] = held.get(key, 0) + 1
                continue
            alert.suppressed = held.pop(key, 0)
            last[key] = alert.time
            passed.append(alert)
        return passed

    def suppress_value(self, path, alert):
        names = [".".join(map(str, k.expr.value)) for k in self.rule.keys if k.expr.kind == "path"]
        name = ".".join(map(str, path.value))
        if name in names:
            return alert.key[names.index(name)]
        value = alert.fields
        for part in path.value:
            value = value.get(part) if isinstance(value, dict) else None
        return value


def run_rule(rule, module, events, readings=None):
    return Matcher(rule, module, readings).run(events)


def run_module(module, events, readings=None):
    alerts = [a for rule in module.rules for a in run_rule(rule, module, events, readings)]
    return sorted(alerts, key=lambda a: (a.time, a.rule))
