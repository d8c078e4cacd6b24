# SPDX-License-Identifier: Apache-2.0
"""All runs of one rule and one key: what one event does to each of them (see oracle.py).

A partition asks its matcher for what all keys have in common: the rule, the readings, under which keys a
step is offered an event, which values link runs."""
from expression import Scope, evaluate, same, true


class Run:
    """One partial match. It stands at element number `at`; `bound` holds the events by step."""

    def __init__(self):
        self.at, self.bound, self.last, self.start = -1, {}, None, None
        self.taken = []                 # all events, in the order in which they were bound
        self.deadline, self.reaches, self.cold, self.ended = None, [], False, False

    def events(self, step):
        return self.bound.get(step.name, [])

    def bind(self, step, event):
        self.bound.setdefault(step.name, []).append(event)
        self.taken.append(event)
        self.last = event
        if self.start is None:
            self.start = event


def conjuncts(expr):
    if expr is None:
        return []
    if expr.kind == "binary" and expr.op == "and":
        return conjuncts(expr.args[0]) + conjuncts(expr.args[1])
    return [expr]


def steps_read(expr, names):
    """Names of steps that an expression reads; `names` are those that there are."""
    if "reads" not in vars(expr):
        expr.reads = set(roots(expr))
    return expr.reads & names


def roots(expr):
    found = set()
    if expr.kind == "path":
        found.add(expr.value[0])
    for arg in expr.args:
        found |= roots(arg)
    return found


class Partition:
    """All runs of one rule and one key."""

    def __init__(self, matcher, key):
        self.matcher, self.rule, self.key = matcher, matcher.rule, key
        self.runs, self.waiting, self.seen = [], [], []

    # -- does an event fit -------------------------------------------------------------------

    def scope(self, run, event):
        return Scope(event, run.bound, self.matcher.lists, self.matcher.step_names)

    def offered_through(self, step, event):
        """"... can be taken, forbid (`not`), break (`next`) or end (`until`) only through steps with
        that key" """
        return self.key in self.matcher.offered_under(step, event)

    def fits_alone(self, run, step, event):
        return self.offered_through(step, event) and true(step.where, self.scope(run, event))

    def in_time(self, run, step, event):
        rule = self.rule
        # "`within D`: time(last) - time(first) <= D, equality passes"
        if rule.within is not None and run.start and event.time - run.start.time > rule.within:
            return False
        # "`a: ... within d`: each event bound here is at most d after the event bound before it"
        if step.within is not None and run.last and event.time - run.last.time > step.within:
            return False
        return True

    def fits_step(self, run, step, event):
        return self.in_time(run, step, event) and self.fits_alone(run, step, event)

    def fits_in_group(self, run, group, step, event):
        if not self.in_time(run, step, event) or not self.offered_through(step, event):
            return False
        peers = {s.name for s in group.steps}
        # "such a comparison is judged when the later of the two is bound": what reads a step of the
        # group that is not bound yet waits ...
        for part in conjuncts(step.where):
            waits = [p for p in steps_read(part, peers) if p != step.name and not run.bound.get(p)]
            if not waits and not true(part, self.scope(run, event)):
                return False
        # ... and is judged here, when it was the earlier one.
        trial = Run()
        trial.bound = dict(run.bound)
        trial.bound[step.name] = run.events(step) + [event]
        for peer in group.steps:
            for part in conjuncts(peer.where):
                read = steps_read(part, peers)
                if peer is step or step.name not in read or any(not trial.bound.get(p) for p in read):
                    continue
                if not all(true(part, self.scope(trial, e)) for e in run.events(peer)):
                    return False
        return True

    # -- elements ----------------------------------------------------------------------------

    def filled(self, run, element):
        return [s for s in element.steps if len(run.events(s)) >= s.max]

    def has_minimum(self, run, element):
        if element.kind == "step":
            return len(run.events(element.steps[0])) >= element.min
        return len(self.filled(run, element)) >= element.need

    def is_full(self, run, element):
        if element.kind == "step":
            return len(run.events(element.steps[0])) >= element.steps[0].max
        return len(self.filled(run, element)) >= element.need

    def take(self, run, element, event):
        """Binds the event in the element if it fits there and there is room. Is it taken?"""
        if self.is_full(run, element):
            return False
        if element.kind == "step":
            # "`a: S where P`: one event of stream S for which P holds"
            step = element.steps[0]
            if not self.fits_step(run, step, event):
                return False
            run.bind(step, event)
        elif element.kind == "any":
            # "`any { a: ... b: ... }`: exactly one of them; the first listed that fits"
            for step in element.steps:
                if self.fits_step(run, step, event):
                    run.bind(step, event)
                    break
            else:
                return False
        elif not self.take_in_all(run, element, event):
            return False
        run.at = element.number
        return True

    def take_in_all(self, run, group, event):
        fitting = [s for s in group.steps if self.fits_in_group(run, group, s, event)]
        # "In `all`, e goes to the first listed open step that it fits"
        for step in fitting:
            if len(run.events(step)) < step.max:
                run.bind(step, event)
                return True
        # "if it fits only filled ones, bound events change places if that makes room (not in groups
        # whose steps refer to each other ...)"
        if self.matcher.crossed(group):
            return False
        for step in fitting:
            if self.make_room(run, group, step):
                run.bind(step, event)
                run.events(step).sort(key=lambda e: e.order)
                return True
        return False

    def make_room(self, run, group, step):
        """Moves one event out of a filled step, others too if they must. READINGS 7."""
        paths = [p for p in self.room_paths(run, group, step, [step.name])]
        if not paths:
            return False
        path = min(paths, key=len) if self.matcher.readings.swap == "breadth" else paths[0]
        for event, from_step, to_step in reversed(path):
            run.bound[from_step.name].remove(event)
            run.bound.setdefault(to_step.name, []).append(event)
            run.bound[to_step.name].sort(key=lambda e: e.order)
        return True

    def room_paths(self, run, group, step, visited):
        events = list(run.events(step))
        if self.matcher.readings.swap == "newest":
            events.reverse()
        for event in events:
            others = [s for s in group.steps if s.name not in visited and self.fits_moved(run, s, event)]
            if self.matcher.readings.swap != "listed":
                others.sort(key=lambda s: len(run.events(s)) >= s.max)
            for other in others:
                if len(run.events(other)) < other.max:
                    yield [(event, step, other)]
                else:
                    for rest in self.room_paths(run, group, other, visited + [other.name]):
                        yield [(event, step, other)] + rest

    def fits_moved(self, run, step, event):
        before = run.taken[:run.taken.index(event)]
        if step.within is not None and before and event.time - before[-1].time > step.within:
            return False
        return self.fits_alone(run, step, event)

    # -- one run, one event ------------------------------------------------------------------

    def candidates(self, at):
        """"the run may also move to i+1, and over elements whose minimum is 0 to the ones behind
        them": the last of them first."""
        elements, found = self.rule.elements, []
        for element in elements[at + 1:]:
            found.insert(0, element)
            if element.min > 0:
                break
        return found

    def offer(self, run, event):
        """Is the event taken? May end the run. "A run ... takes an event once"."""
        element = self.rule.elements[run.at]
        has_minimum = self.has_minimum(run, element)
        # "1. If i has its minimum, the run may also move to i+1, and over elements whose minimum is
        # 0 to the ones behind them. Of the elements that e fits, the **last** takes it"
        if has_minimum:
            for later in self.candidates(run.at):
                if self.take(run, later, event):
                    return True
        # "2. Otherwise, if e fits a `not` of the open gap behind i: the run ends."
        if has_minimum and any(self.fits_alone(run, n, event) for n in element.nots):
            run.ended = True
            return False
        # "3. Otherwise, if i can take more and e fits: i takes it."
        if self.take(run, element, event):
            return True
        # "4. Otherwise e is skipped - or, under a `next`, the run ends."
        if self.under_next(run, element, has_minimum):
            run.ended = True
        return False

    def under_next(self, run, element, has_minimum):
        """"from the moment the element before has its minimum until this one is full, an event of the
        key, of any stream that the rule names, that neither takes ends the run" """
        full = self.is_full(run, element) if self.matcher.readings.next_full == "max" else has_minimum
        if element.next and not full:
            return True
        behind = self.rule.elements[run.at + 1:run.at + 2]
        return has_minimum and bool(behind) and behind[0].next

    def start(self, event):
        """"An event that fits the first element (or one behind optional firsts) starts a run, whether
        or not other runs took it" """
        run = Run()
        for element in self.candidates(-1):
            if self.take(run, element, event):
                break
        else:
            return None
        # "First: none in [t - D, t), nor at t but earlier in the order (`within d` sets another
        # reach; P may refer to the first step ...)"
        for lead in self.rule.lead_nots:
            reach = self.rule.within if lead.within is None else lead.within
            for other in self.seen:
                if other.time >= event.time - reach and self.fits_alone(run, lead, other):
                    return None
            # "until the rule has seen that reach the alert carries `cold: true`"
            if event.time - reach < self.matcher.first_time:
                run.cold = True
        return run

    def is_complete(self, run):
        """"A trailing a{n,} is complete at n." """
        last = self.rule.elements[-1]
        return run.at == last.number and self.has_minimum(run, last)

    def wait(self, run):
        """"Last: none until its own `within d` after the last event, or else until first + D"; "Several
        trailing `not`s each watch their own reach; the match is told when the longest has passed";
        "D does not cut a trailing `not` with its own reach" """
        for trail in self.rule.trail_nots:
            own = trail.within is not None
            run.reaches.append(run.last.time + trail.within if own else run.start.time + self.rule.within)
        run.deadline = max(run.reaches)
        self.waiting.append(run)

    def forbid(self, event):
        for run in self.waiting:
            for trail, reach in zip(self.rule.trail_nots, run.reaches):
                if event.time <= reach and self.fits_alone(run, trail, event):
                    run.ended = True

    # -- select ------------------------------------------------------------------------------

    def agree(self, one, two):
        """"only runs that agree in every value so compared that both have bound" """
        which = 0 if self.matcher.readings.link_value == "first" else -1
        for step, path in self.matcher.links:
            if one.bound.get(step) and two.bound.get(step):
                a, b = (evaluate(path, Scope(r.bound[step][which], {}, {}, set())) for r in (one, two))
                if not same(a, b):
                    return False
        return True

    def began_before(self, run, event):
        if self.matcher.readings.began_by == "time":
            return run.start.time <= event.time
        return run.start.order <= event.order

    def tell(self, matches, time=None):
        """Which of the matches of one event or one deadline are alerts."""
        matches = sorted(matches, key=lambda r: r.start.order)
        if self.rule.select != "first":
            # `last`, `each`: "only that run ends"
            for run in matches:
                run.ended = True
                self.matcher.alert(self, run, time)
            return
        for run in matches:
            if run.ended:
                continue
            self.matcher.alert(self, run, time)
            run.ended = True
            for other in self.runs + self.waiting + matches:
                # `first`: "all runs of the key that began at or before the match's last event end; if
                # several complete on one event or at one deadline, the earliest start is the match"
                together = other in matches and (time is None or
                                                 self.matcher.readings.deadline_tie == "one")
                if self.agree(run, other) and (together or self.began_before(other, run.last)):
                    other.ended = True

    def drop_ended(self):
        self.runs = [r for r in self.runs if not r.ended]
        self.waiting = [r for r in self.waiting if not r.ended]

    def slot(self, run):
        """"per slot (element, count in it, set filled in a group)" """
        element = self.rule.elements[run.at]
        count = sum(len(run.events(s)) for s in element.steps)
        grouped = element.kind == "all" or (element.kind == "any" and
                                            self.matcher.readings.any_slot == "step")
        if grouped and self.matcher.readings.any_slot == "element" and self.is_full(run, element):
            grouped = False
        return run.at, count, frozenset(s.name for s in self.filled(run, element)) if grouped else ()

    def settle_slots(self, arrived):
        """`last`: "per slot at most one run: the newest to arrive replaces the older, of two that one
        event brings there the later start stays" """
        for run in arrived:
            for other in self.runs:
                if run.ended or other is run or other.ended or self.slot(run) != self.slot(other):
                    continue
                if not self.agree(run, other):
                    continue
                later = other in arrived and other.start.order > run.start.order
                if not self.matcher.readings.started_stays and other in arrived and \
                        (run.start is run.last or other.start is other.last):
                    later = other.start.order < run.start.order
                (run if later else other).ended = True

    # -- one event ---------------------------------------------------------------------------

    def decide_deadlines(self, before):
        """Section 7: "deadlines are decided when the frontier has left their time behind (events at a
        deadline's very time come before it)" """
        while True:
            due = [r for r in self.waiting if before is None or r.deadline < before]
            if not due:
                return
            first = min(r.deadline for r in due)
            self.tell([r for r in due if r.deadline == first], first)
            self.drop_ended()

    def hopeless(self, run, event):
        """"A run that can take nothing any more ends." Seen only by `limit runs`."""
        if self.rule.within is not None and event.time - run.start.time > self.rule.within:
            return True
        element = self.rule.elements[run.at]
        able = [] if self.is_full(run, element) else [element]
        if self.has_minimum(run, element):
            able += self.candidates(run.at)
        return all(s.within is not None and event.time - run.last.time > s.within
                   for e in able for s in e.steps)

    def feed(self, event):
        self.forbid(event)
        for run in self.runs:
            run.ended = self.hopeless(run, event)
        self.drop_ended()
        # `last`: "an event is offered to the furthest run first and cannot advance the run it just
        # made". In the other modes the order does not matter.
        runs = sorted(self.runs, key=lambda r: (self.slot(r)[:2], r.start.order), reverse=True)
        arrived = [run for run in runs if self.offer(run, event)]
        self.drop_ended()
        started = self.start(event)
        if started and self.limit_start(started):
            self.runs.append(started)
            arrived.append(started)
        complete = [run for run in arrived if self.is_complete(run)]
        # "a match that only waits for its trailing `not` holds no slot and takes nothing"
        self.runs = [r for r in self.runs if r not in complete]
        if self.rule.select == "last":
            self.settle_slots([r for r in arrived if r not in complete])
        if self.rule.trail_nots:
            for run in complete:
                self.wait(run)
        else:
            self.tell(complete)
        self.drop_ended()
        self.end_until(event)
        self.seen.append(event)

    def limit_start(self, started):
        """Section 10: `limit runs n per key`: "beyond it `first` refuses new starts, the others drop
        the oldest" """
        limit = self.rule.limit_runs
        if limit is None or len(self.runs) + len(self.waiting) < limit:
            return True
        if self.rule.select == "first":
            return False
        oldest = min(self.runs + self.waiting, key=lambda r: r.start.order)
        oldest.ended = True
        self.drop_ended()
        return True

    def end_until(self, event):
        """"such an event, after it has been offered (a run that it completes is complete), ends every
        open run of the key for which P holds, those that it started and matches waiting for a
        trailing `not` too" """
        until = self.rule.until
        if not until:
            return
        for run in self.runs + self.waiting:
            if self.fits_alone(run, until, event):
                run.ended = True
        self.drop_ended()
