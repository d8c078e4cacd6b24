# SPDX-License-Identifier: Apache-2.0
"""Section 4, `allow late`: windows that late events still reach, with revisions and retractions.

Here order of arrival matters, so this is a simulation: events wait until the frontier has left their
time behind, windows close. A late event (section 7) has a place: behind all events of time w, the
watermark when it was read, and before what is decided at w; but not before the first event of all.
"""
from dataclasses import dataclass, field
from rule_text import Unsupported


@dataclass
class Kept:
    """One window of one key."""
    key: tuple
    start: int
    end: int
    entries: list = field(default_factory=list)
    closed: bool = False
    told: bool = False              # the last that was told of it was no retraction
    next_revision: int = 0


class Late:
    def __init__(self, rule, lateness):
        self.rule, self.window, self.lateness = rule, rule.window, lateness
        self.seen, self.kept, self.waiting, self.late = None, [], [], []
        self.first = None               # the lowest time of an event in time, once something is given
        if self.window.fires != "close":
            raise Unsupported("allow late, fire on " + self.window.fires)

    # -- telling ------------------------------------------------------------------------------
    def tell(self, kept, retracts=False):
        view = self.rule.view(kept.key, kept.entries, kept.start, kept.end, kept.entries, kept.end)
        alert = self.rule.made(kept.key, view, kept.end)
        alert.revision, alert.retracted, alert.late = kept.next_revision, retracts, True
        kept.next_revision += 1
        kept.told = not retracts
        self.rule.alerts.append(alert)

    def judge(self, kept):
        """A closed window as it is now: "emits a revision (same id, `revision` + 1; `retracted: true`
        when H no longer holds)" """
        view = self.rule.view(kept.key, kept.entries, kept.start, kept.end, kept.entries, kept.end)
        if self.rule.holds(view):
            self.tell(kept)
        elif kept.told:
            self.tell(kept, retracts=True)

    # -- events -------------------------------------------------------------------------------
    def add(self, kept, entry):
        # "Of one time, first, last and collect count a late event behind those that were in time."
        kept.entries = sorted(kept.entries + [entry], key=lambda e: e[0].time)

    def fixed(self, key, entry, frontier):
        for start, end in self.rule.spans(entry[0].time):
            # "keep a closed window d longer"
            if frontier is not None and frontier > end + self.window.late:
                continue
            found = [k for k in self.kept if (k.key, k.start, k.end) == (key, start, end)]
            if not found:
                found = [Kept(key, start, end, closed=frontier is not None and frontier > end)]
                self.kept.append(found[0])
            self.add(found[0], entry)
            if found[0].closed:
                self.judge(found[0])

    def session(self, key, entry, frontier):
        time, gap = entry[0].time, self.window.size
        at = float("-inf") if frontier is None else frontier
        alive = [k for k in self.kept if k.key == key and at <= k.end + self.window.late]
        touched = sorted((k for k in alive if k.start - gap <= time <= k.end), key=lambda k: k.start)
        if not touched:
            if at > time + gap + self.window.late:
                return
            touched = [Kept(key, time, time + gap)]
            self.kept.append(touched[0])
        first = touched[0]
        was_told = first.told
        for other in touched[1:]:
            # "A session that late events merge keeps the earliest one's id, the others are retracted."
            if other.told:
                self.tell(other, retracts=True)
            first.entries += other.entries
            self.kept.remove(other)
        self.add(first, entry)
        first.start, last = first.entries[0][0].time, first.entries[-1][0].time
        first.end = self.rule.session_end(first.start, last)
        if last - first.start > self.window.max:
            raise Unsupported("a late event before a session cut by max")
        first.closed = at > first.end
        if first.closed:
            self.judge(first)
        elif was_told and self.rule.way.merge_open == "at once":
            self.judge(first)

    def give(self, event, frontier=None):
        for key, inputs in self.rule.inputs_of(event).items():
            (self.session if self.window.kind == "session" else self.fixed)(key, (event, inputs), frontier)

    def close(self, frontier):
        for kept in self.kept:
            if not kept.closed and kept.end < frontier:
                kept.closed = True
                self.judge(kept)

    def advance(self, frontier):
        due = [e for e in self.waiting if e.time < frontier]
        if self.first is None:
            lowest = min((e.time for e in self.waiting), default=None)
            if lowest is None or lowest > frontier:
                return
            self.first = lowest
        places = [(e.time, 0, e.order, e) for e in due]
        # those of one w by source, then as they stand there
        places += [(max(w, self.first), 1, (w, e.source, n), e) for n, w, e in self.late if w < frontier]
        for place, is_late, _, event in sorted(places, key=lambda p: p[:3]):
            self.close(place)
            if is_late:
                self.give(event, place)
            else:
                self.waiting.remove(event)
                self.give(event)
        self.late = [entry for entry in self.late if entry[1] >= frontier]
        self.close(frontier)

    def arrive(self, number, event):
        if self.seen is not None and event.time < self.seen - self.lateness:
            self.late.append((number, self.seen - self.lateness, event))
            return
        self.waiting.append(event)
        self.seen = event.time if self.seen is None else max(self.seen, event.time)
        self.advance(self.seen - self.lateness)


def run_late(rule, events, lateness):
    late = Late(rule, lateness)
    for number, event in enumerate(events):
        late.arrive(number, event)
    late.advance(float("inf"))
    if rule.rule.suppress is not None:
        raise Unsupported("suppress and allow late")
    return sorted(rule.alerts, key=lambda a: a.time)
