# SPDX-License-Identifier: Apache-2.0
"""Section 6, brute force: each value of each event is looked for among all sightings before it."""
import itertools
from dataclasses import dataclass, replace

from expression import Scope, evaluate, kind_of, true
from oracle import Matcher
from partition import Partition, Run
from window_oracle import in_time

COMBINATIONS = 100


@dataclass
class Readings:
    """Numbers are those of READINGS_WINDOWS.md."""
    known_by: str = "event"         # 40: or "value": an event without the value does not make the key known
    after_edge: str = "at"          # 41: or "behind": known for exactly 3d is not enough
    learns: bool = True             # 42: False: what comes before `after` has passed is not a sighting

    @staticmethod
    def alternatives(rule, everything=False):
        """Golden cases have fixed them all."""
        others = (("known_by", "value"), ("after_edge", "behind"), ("learns", False))
        return [replace(Readings(), **{n: v}) for n, v in others if everything]


class NovelRule(Matcher):
    def __init__(self, rule, module, readings=None):
        super().__init__(rule, module, None)
        self.novel, self.way = rule.body, readings or Readings()

    def values_of(self, event):
        """"A list field counts each element (100 combinations at most)" """
        parts = []
        for path in self.novel.paths:
            value = evaluate(path, Scope(event, {}, self.lists, set()))
            values = value if isinstance(value, list) else [value]
            parts.append([(kind_of(v), v) for v in values if v is not None])
        return list(dict.fromkeys(itertools.product(*parts)))[:COMBINATIONS]

    def known_since(self, times, time):
        """The first event of the key, or the first after it was forgotten: "a key without events for
        `within` is forgotten, and `after` begins again" """
        since = None
        for one, following in zip(times, times[1:] + [time]):
            since = one if since is None else since
            if following - one > self.novel.within:
                since = None
        return time if since is None else since

    def run_key(self, key, events):
        sightings, times, novel = [], [], self.novel
        for event in events:
            values = self.values_of(event)
            if not values and self.way.known_by == "value":
                continue
            times.append(event.time)
            known = event.time - self.known_since(times[:-1], event.time)
            # "With `after`, only once the key has been known for 3d"
            ready = novel.after is None or known > novel.after or \
                (known == novel.after and self.way.after_edge == "at")
            for value in values:
                # "A value seen exactly 14d ago counts as seen."
                seen = any(v == value and event.time - t <= novel.within for t, v in sightings)
                if ready and not seen:
                    run = Run()
                    run.bind(novel.step, event)
                    self.alert(Partition(self, key), run, None)
            # "each sighting renews it"
            if ready or self.way.learns:
                sightings += [(event.time, v) for v in values]

    def run(self, events, lateness=None):
        by_key = {}
        for event in sorted(in_time(events, lateness), key=lambda e: e.order):
            for key in self.offered_under(self.novel.step, event):
                if true(self.novel.step.where, Scope(event, {self.novel.step.name: [event]}, self.lists,
                                                     self.step_names)):
                    by_key.setdefault(key, []).append(event)
        for key, own in by_key.items():
            self.run_key(key, own)
        return self.suppressed(sorted(self.alerts, key=lambda a: a.time))
