# SPDX-License-Identifier: Apache-2.0
"""Section 4, brute force: every window is a list of events, everything is recomputed at each event.

Where the page can be read in two ways the reading is a field of Readings, explained in
READINGS_WINDOWS.md; generate_windows.py leaves out the cases in which the readings differ.
"""
import datetime
import zoneinfo
from dataclasses import dataclass, replace

from aggregates import Aggregator, paths_of
from body_text import BodyAlert
from expression import kind_of, same
from oracle import Matcher
from rule_text import NS, Time, Unsupported

DAY = 86400 * NS


@dataclass
class Readings:
    """Numbers are those of READINGS_WINDOWS.md; the defaults are what the cases expect."""
    edge: str = "armed"             # 1: or "makes": only an event before which H was false fires
    reset_once: bool = False        # 2: True: `once a window` holds after a reset too
    reset_scope: str = "key"        # 3: or "window": the key's other (hopping) windows stay
    reset_arms: str = "H"           # 4: or "always"
    reset_session: str = "new"      # 5: or "same": an emptied session keeps its start
    empty: str = "new"              # 6: or "H": a key whose events have all left stays armed or not
    prev: str = "window"            # 7: or "key": it may be of a window before
    told: str = "window"            # 8: or "key": what `on change` told in another window counts
    first_missing: str = "value"    # 9: or "event"
    deviation: str = "population"   # 10: or "sample"
    collect: str = "oldest"         # 11: or "newest"
    top_ties: str = "first"         # 12: or "last"
    no_distinct: str = "zero"       # 13: or "missing"
    zone_offset: str = "wall"       # 14: or "elapsed"
    change_false: str = "kept"      # 15: or "forgotten": H was false: nothing is told any more
    instant: str = "before"         # 16: or "after": what leaves at the very time of an event
    merge_open: str = "at close"    # 17: or "at once"

    # What golden cases have fixed is judged by them; of these four the answer is still open.
    OPEN = ("prev", "reset_arms", "top_ties", "zone_offset")
    OTHERS = (("edge", "makes"), ("reset_once", True), ("reset_scope", "window"), ("reset_arms", "always"),
              ("reset_session", "same"), ("empty", "H"), ("prev", "key"), ("told", "key"),
              ("first_missing", "event"), ("deviation", "sample"), ("collect", "newest"),
              ("top_ties", "last"), ("no_distinct", "missing"), ("zone_offset", "elapsed"),
              ("change_false", "forgotten"), ("instant", "after"), ("merge_open", "at once"))

    @staticmethod
    def alternatives(rule, everything=False):
        """Each other reading that is still open, or all."""
        names = [n for n, _ in Readings.OTHERS] if everything else Readings.OPEN
        return [replace(Readings(), **{n: v}) for n, v in Readings.OTHERS if n in names]


class View:
    """A window at one moment: what an expression can see."""

    def __init__(self, entries, reach_of, before, names):
        self.entries, self.reach_of, self.before, self.names = entries, reach_of, before, names

    def entries_in(self, reach):
        return self.entries if reach is None else self.reach_of(reach)


def zone_period(zone, days, offset, time, readings):
    """"with a zone, calendar days": (start, end) of the days of the zone that hold the time."""
    zone = zoneinfo.ZoneInfo(zone)

    def start_of(ordinal):
        # The first instant of a local date: a midnight that does not exist is the end of the gap.
        date = datetime.date.fromordinal(ordinal)
        at = datetime.datetime(date.year, date.month, date.day, tzinfo=zone)
        if readings.zone_offset == "wall":
            at += datetime.timedelta(microseconds=offset // 1000)
        ns = int(at.timestamp()) * NS
        return ns if readings.zone_offset == "wall" else ns + offset

    epoch = datetime.date(1970, 1, 1).toordinal()
    local = datetime.datetime.fromtimestamp(time // NS, zone).date().toordinal()
    for ordinal in (local + 1, local, local - 1, local - 2):
        first = ordinal - (ordinal - epoch) % days
        if start_of(first) <= time:
            return start_of(first), start_of(first + days)
    raise ValueError("no day")


class WindowRule(Matcher):
    """One rule. An entry is (event, names of the inputs that it is in)."""

    def __init__(self, rule, module, readings=None):
        super().__init__(rule, module, None)
        self.window, self.way = rule.body, readings or Readings()
        self.inputs = [s.name for s in self.window.inputs]
        self.aggregator = Aggregator(self.inputs, module.lists, self.way)
        self.shown = 1000 if rule.keep is None else rule.keep
        for expr in [e for _, e in rule.emit] + [self.window.having] * (self.window.having is not None):
            for path in paths_of(expr):
                if path == ["window_start"] and self.window.kind == "global":
                    raise Unsupported("window_start of a global window")

    def inputs_of(self, event):
        """key -> inputs. "each may override the keys"; "an event that fits two inputs is in both" """
        found = {}
        for step in self.window.inputs:
            for key in self.offered_under(step, event):
                if self.fits(step, event):
                    found.setdefault(key, []).append(step.name)
        return found

    def fits(self, step, event):
        return step.where is None or self.aggregator.holds(step.where, step.name, event)

    # -- windows ------------------------------------------------------------------------------
    def spans(self, time):
        """(start, end) of each fixed window that holds the time."""
        w = self.window
        if w.kind == "hopping":
            last = time - time % w.every
            return [(s, s + w.size) for s in range(last - w.size + w.every, last + 1, w.every)]
        if w.zone:
            if w.size % DAY:
                raise Unsupported("a zone and no days")
            return [zone_period(w.zone, w.size // DAY, w.offset, time, self.way)]
        start = (time - w.offset) // w.size * w.size + w.offset
        return [(start, start + w.size)]

    def session_end(self, start, last):
        """"ends at last + gap, or at start + max if that is earlier" """
        return min(last + self.window.size, start + self.window.max)

    def view(self, key, entries, start, end, history, now):
        """`entries`: those of the window, or, where it slides, of the key since the last reset;
        `history`: all of the key up to the last of them."""
        w = self.window
        if w.kind == "sliding":
            start, end = now - w.size, now

        def reach_of(reach):
            # "[t - 10m, t], both ends"
            return [e for e in entries if e[0].time >= now - reach]

        inside = reach_of(w.size) if w.kind == "sliding" else entries
        before = history[:-1]
        if self.way.prev == "window" and w.kind in ("tumbling", "hopping"):
            before = [e for e in before if (start, end) in self.spans(e[0].time)]
        elif self.way.prev == "window" and w.kind == "session":
            before = [e for e in before if e[0].time >= start]
        names = {k.name: v[1] for k, v in zip(self.rule.keys, key)}
        if start is not None:
            names.update(window_start=Time(start), window_end=Time(end))
        return View(inside, reach_of, before, names)

    def holds(self, view):
        having = self.window.having
        return having is None or self.aggregator.evaluate(having, view) is True

    def emitted(self, view):
        fields = {}
        for left, expr in self.rule.emit:
            here = fields
            for part in left[:-1]:
                here = here.setdefault(part, {})
            here[left[-1]] = self.aggregator.evaluate(expr, view)
        return fields

    def made(self, key, view, time):
        """"`events` carries ... of a window the last `keep`" """
        bound = {}
        for name in self.inputs:
            events = sorted((e for e, inputs in view.entries if name in inputs), key=lambda e: e.order)
            bound[name] = events[max(0, len(events) - self.shown):]
        return BodyAlert(time, self.rule.name, key, bound, self.emitted(view))

    def told(self, key, view, time):
        self.alerts.append(self.made(key, view, time))

    # -- one key, its entries in order --------------------------------------------------------
    def run_key(self, key, entries):
        kind, fire = self.window.kind, self.window.fires
        if kind in ("sliding", "global"):
            for part in self.lives(entries) if kind == "global" else [entries]:
                self.run_moving(key, part)
            return
        if fire == "close":
            for start, end, inside in self.closed(entries):
                upto = [e for e in entries if e[0].order <= inside[-1][0].order]
                view = self.view(key, inside, start, end, upto, end)
                if self.holds(view):
                    self.told(key, view, end)
        elif kind == "session":
            self.run_sessions(key, entries)
        else:
            self.run_fixed(key, entries)

    def closed(self, entries):
        """Each window with its entries."""
        if self.window.kind == "session":
            return self.sessions(entries)
        found = {}
        for entry in entries:
            for span in self.spans(entry[0].time):
                found.setdefault(span, []).append(entry)
        return [(start, end, inside) for (start, end), inside in found.items()]

    def sessions(self, entries):
        """"takes an event at last + gap; ... an event after that end starts a new one" """
        found = []
        for entry in entries:
            if found and entry[0].time <= found[-1][1]:
                start, _, inside = found[-1]
                found[-1] = (start, self.session_end(start, entry[0].time), inside + [entry])
            else:
                time = entry[0].time
                found.append((time, self.session_end(time, time), [entry]))
        return found

    def lives(self, entries):
        """Global: "state dropped after 30d without an event" - an event at last + 30d is in time."""
        parts = []
        for entry in entries:
            if parts and entry[0].time - parts[-1][-1][0].time <= self.window.size:
                parts[-1].append(entry)
            else:
                parts.append([entry])
        return parts

    def longest(self):
        return max([self.window.size] + self.reaches())

    def reaches(self):
        """Of all aggregates: instants at which values leave."""
        found = []
        for expr in [self.window.having] + [e for _, e in self.rule.emit]:
            found += reaches_of(expr) if expr else []
        return found

    def leaving(self, entries, after, upto):
        """The instants in (after, upto] at which something has just left a sliding window."""
        times = {e[0].time + reach + 1 for e in entries for reach in [self.window.size] + self.reaches()}
        limit = upto if self.way.instant == "before" else upto - 1
        return sorted(t for t in times if after < t <= limit)

    # -- fire on an event ---------------------------------------------------------------------
    def run_moving(self, key, entries):
        """Sliding and global windows."""
        state, floor, born = Fire(self), 0, 0
        for n, entry in enumerate(entries):
            time = entry[0].time
            # All have left, by the longest reach.
            gone = self.window.kind == "sliding" and n > 0 and \
                time > entries[n - 1][0].time + self.longest()
            if self.way.prev == "window" and gone:
                born = n
            if self.window.kind == "sliding" and n > 0:
                past = entries[floor:n]
                for instant in self.leaving(past, entries[n - 1][0].time, time):
                    view = self.view(key, past, None, None, entries[born:n], instant)
                    # "events that leave a window re-arm, they never fire"
                    state.left(view)
            if gone and self.way.empty == "new":
                state.begin()
            view = self.view(key, entries[floor:n + 1], None, None, entries[born:n + 1], time)
            if state.event(key, view, time) and self.window.fires == "match reset":
                # "and the key's window is emptied"
                floor = n + 1
                state.reset(self.view(key, [], None, None, entries[:n + 1], time))

    def run_fixed(self, key, entries):
        states, floors, told = {}, {}, []
        for n, entry in enumerate(entries):
            time = entry[0].time
            for start, end in self.spans(time):
                span = (start, end)
                state = states.setdefault(span, Fire(self, told))
                inside = [e for e in entries[floors.get(span, 0):n + 1] if span in self.spans(e[0].time)]
                view = self.view(key, inside, start, end, entries[:n + 1], time)
                if state.event(key, view, time) and self.window.fires == "match reset":
                    if self.way.reset_scope == "window":
                        floors[span] = n + 1
                        state.reset(self.view(key, [], start, end, entries[:n + 1], time))
                        continue
                    for other in self.spans(time):
                        floors[other] = n + 1
                        states.setdefault(other, Fire(self, told)).reset(
                            self.view(key, [], *other, entries[:n + 1], time))
                    break

    def run_sessions(self, key, entries):
        start = last = None
        inside, told = [], []
        for n, entry in enumerate(entries):
            time = entry[0].time
            if start is None or time > self.session_end(start, last):
                start, inside, state = time, [], Fire(self, told)
            inside, last = inside + [entry], time
            view = self.view(key, inside, start, self.session_end(start, last), entries[:n + 1], time)
            if state.event(key, view, time) and self.window.fires == "match reset":
                inside = []
                state.reset(self.view(key, [], start, self.session_end(start, last), entries[:n + 1], time))
                if self.way.reset_session == "new":
                    start, state = None, None

    # -- all keys -----------------------------------------------------------------------------
    def run(self, events, lateness=None):
        if lateness is not None and self.window.late is not None:
            from late_windows import run_late
            return run_late(self, events, lateness)
        by_key = {}
        for event in sorted(in_time(events, lateness), key=lambda e: e.order):
            for key, inputs in self.inputs_of(event).items():
                by_key.setdefault(key, []).append((event, inputs))
        for key, entries in by_key.items():
            self.run_key(key, entries)
        return self.suppressed(sorted(self.alerts, key=lambda a: a.time))


class Fire:
    """When one window tells: section 4, `fire`."""

    def __init__(self, owner, told_of_key=None):
        self.owner, self.fire = owner, owner.window.fires
        self.armed, self.held, self.done = True, False, False
        # What `on change` told last: of this window, or of the key.
        self.last = told_of_key if told_of_key is not None and owner.way.told == "key" else []
        self.fixed = owner.window.kind not in ("sliding", "global")

    def begin(self):
        self.armed, self.held = True, False
        self.last.clear()

    def left(self, view):
        """Values have left; no event came."""
        self.held = self.owner.holds(view)
        if not self.held:
            self.armed = True
            if self.owner.way.change_false == "forgotten":
                self.last.clear()

    def reset(self, view):
        self.held = self.owner.holds(view)
        self.armed = not self.held or self.owner.way.reset_arms == "always"
        self.held = self.held and not self.armed
        if not self.owner.way.reset_once:
            self.done = False

    def event(self, key, view, time):
        """An event came; is it told?"""
        holds, held = self.owner.holds(view), self.held
        self.held = holds
        if not holds:
            self.armed = True
            if self.owner.way.change_false == "forgotten":
                self.last.clear()
            return False
        if self.fire == "every match":
            tells = True
        elif self.fire == "change":
            tells = self.changed(self.owner.emitted(view))
        else:
            # "when an event makes H true, again only after H was false; ... tumbling, hopping,
            # session: once a window"
            tells = self.armed if self.owner.way.edge == "armed" else not held
            tells = tells and not (self.fixed and self.done)
        if tells:
            self.armed, self.done = False, True
            self.owner.told(key, view, time)
        return tells

    def changed(self, fields):
        """"after an event, if H holds and an emitted value differs from the last told" """
        if self.last and alike(self.last[0], fields):
            return False
        self.last[:] = [fields]
        return True


def alike(a, b):
    if kind_of(a) != kind_of(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b))
    return same(a, b)


def reaches_of(expr):
    found = [int(expr.within)] if getattr(expr, "within", None) is not None else []
    for arg in expr.args:
        found += reaches_of(arg)
    return found


def in_time(events, lateness):
    """Section 7: "An event is late if its time is below the watermark that its own partition had when
    it was read"; "the watermark = highest event time it has shown - lateness". All are of one
    partition and stand in the order of their arrival."""
    if lateness is None:
        return list(events)
    kept, seen = [], None
    for event in events:
        if seen is None or event.time >= seen - lateness:
            kept.append(event)
            seen = event.time if seen is None else max(seen, event.time)
    return kept
