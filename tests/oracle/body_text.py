# SPDX-License-Identifier: Apache-2.0
"""Reads rules whose body is `window`, `join` or `novel`, on top of rule_text.py, and writes their cases.

As rule_text.py it is written from language.md (sections 4, 5, 6) and not from grammar/.
"""
import datetime
import json
from dataclasses import dataclass, field
from typing import Optional

from case_text import BASE, write_offset
from oracle import Alert
from rule_text import Duration, Element, Expr, NS, Parser, Step, Time, Unsupported

FIRES = ("close", "match", "match reset", "every match", "change")


@dataclass
class Window:
    kind: str                       # tumbling hopping session sliding global
    size: int                       # of global: expire
    every: Optional[int] = None
    offset: int = 0
    zone: Optional[str] = None
    max: int = 24 * 3600 * NS       # "max 24h unless given"
    inputs: list = field(default_factory=list)
    having: Optional[Expr] = None
    fire: Optional[str] = None
    late: Optional[int] = None

    @property
    def fires(self):
        return self.fire or ("match" if self.kind in ("sliding", "global") else "close")


@dataclass
class Join:
    low: int                        # of time(b) - time(a)
    high: int
    sides: list = field(default_factory=list)
    unpaired: Optional[str] = None  # name of the `not` side
    limit: int = 1000


@dataclass
class Novel:
    paths: list
    within: int
    after: Optional[int] = None
    step: Optional[Step] = None


@dataclass
class BodyAlert(Alert):
    revision: int = 0
    retracted: bool = False


class BodyParser(Parser):
    def call(self):
        """Aggregates take `where` and `within` behind their arguments."""
        name = self.take()[1]
        self.expect("(")
        expr = Expr("call", name, args=[])
        expr.where = expr.within = None
        while not self.accept(")"):
            if self.accept("where"):
                expr.where = self.expression()
            elif self.accept("within"):
                expr.within = self.duration()
            else:
                expr.args.append(self.expression())
            if not self.is_sign(")") and not self.is_word("where"):
                self.expect(",")
        expr.value = self.members() if self.is_sign(".") else []
        return expr

    def rule_limit(self, rule):
        if not self.accept("matches"):
            super().rule_limit(rule)
            return
        rule.limit_matches = self.integer()
        self.expect("per")
        self.expect("event")

    def inputs_end(self, rule, inputs):
        rule.elements = [Element("step", [s], number=n) for n, s in enumerate(inputs)]

    # -- window -------------------------------------------------------------------------------
    def window_kind(self):
        kind = self.name()
        if kind == "global":
            self.expect("expire")
            return Window(kind, self.duration())
        window = Window(kind, self.duration())
        if kind == "hopping":
            self.expect("every")
            window.every = self.duration()
        elif kind == "session" and self.accept("max"):
            window.max = self.duration()
        elif kind == "tumbling":
            while self.peek()[1] in ("offset", "zone"):
                if self.take()[1] == "offset":
                    window.offset = self.duration()
                else:
                    window.zone = self.primary().value
        elif kind not in ("tumbling", "session", "sliding"):
            raise Unsupported("window " + kind)
        return window

    def rule_window(self, rule):
        window = rule.body = self.window_kind()
        if self.accept("by"):
            rule.keys = self.keys()
        if self.is_word("in"):
            raise Unsupported("a table's windows")
        self.expect("{")
        while not self.accept("}"):
            if self.accept("having"):
                window.having = self.expression()
            elif self.accept("fire"):
                self.expect("on")
                window.fire = self.take()[1]
                if window.fire == "every" or (window.fire == "match" and self.is_word("reset")):
                    window.fire += " " + self.take()[1]
            elif self.accept("allow"):
                self.expect("late")
                window.late = self.duration()
            else:
                window.inputs.append(self.step())
        if window.fires not in FIRES:
            raise Unsupported("fire on " + window.fires)
        self.inputs_end(rule, window.inputs)

    # -- join ---------------------------------------------------------------------------------
    def signed(self):
        return -self.duration() if self.accept("-") else int(self.duration())

    def rule_join(self, rule):
        join = rule.body = Join(0, 0)
        while not self.accept("{"):
            if self.accept("by"):
                rule.keys = self.keys()
            else:
                self.expect("within")
                join.high = self.signed()
                if self.accept("."):
                    self.expect(".")
                    join.low, join.high = join.high, self.signed()
                else:
                    join.low = -join.high
        while not self.accept("}"):
            negative = self.is_word("not")
            if negative:
                self.take()
            join.sides.append(self.step())
            if negative:
                join.unpaired = join.sides[-1].name
        self.inputs_end(rule, join.sides)

    # -- novel --------------------------------------------------------------------------------
    def rule_novel(self, rule):
        novel = rule.body = Novel([self.path()], 0)
        while self.accept(","):
            novel.paths.append(self.path())
        while not self.accept("{"):
            word = self.name()
            if word == "by":
                rule.keys = self.keys()
            elif word == "within":
                novel.within = self.duration()
            elif word == "after":
                novel.after = self.duration()
            else:
                raise Unsupported("novel " + word)
        novel.step = self.step()
        self.expect("}")
        self.inputs_end(rule, [novel.step])


def read_bodies(text):
    """The module; each rule has a `body` (a match rule: none)."""
    module = BodyParser(text).module()
    for rule in module.rules:
        rule.body = getattr(rule, "body", None)
        if isinstance(rule.body, Join):
            rule.body.limit = getattr(rule, "limit_matches", 1000)
    return module


# ---- cases ------------------------------------------------------------------------------------

def rfc3339(ns):
    """UTC, with 3, 6 or 9 digits of a fraction, or none."""
    seconds, rest = divmod(int(ns), NS)
    text = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    if rest:
        digits = f"{rest:09d}"
        while digits.endswith("000"):
            digits = digits[:-3]
        text += "." + digits
    return text + "Z"


def shown(value):
    """A value as an alert shows it."""
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shown(v) for v in value]
    if isinstance(value, Time):
        return rfc3339(value)
    if isinstance(value, Duration):
        return int(value) // NS if value % NS == 0 else int(value) / NS
    return value


def write_body_alert(alert):
    bound = "".join(f" {step}=" + ",".join(f"#{e.number}" for e in events)
                    for step, events in alert.bound.items() if events)
    text = f"{write_offset(alert.time - BASE)} {alert.rule}"
    retracted = getattr(alert, "retracted", False)
    if not retracted:
        text += bound
    if alert.suppressed:
        text += f" suppressed={alert.suppressed}"
    late = getattr(alert, "late", False)
    if (alert.fields or late) and not retracted:
        text += " " + json.dumps(shown(alert.fields))
    if late:
        text += (" {}" if retracted else "") + f" revision {alert.revision}"
        text += " retracted true" if retracted else ""
    return text


def write_body_case(name, rule, events, alerts, options=""):
    lines = ["=== " + name, "--- rule", rule.rstrip("\n"), "--- events" + options]
    for e in events:
        fields = {k: v for k, v in e.fields.items() if k != "#"}
        lines.append(f"{write_offset(e.time - BASE)} {e.source}" + (" " + json.dumps(fields) if fields else ""))
    lines.append("--- alerts")
    lines += [write_body_alert(a) for a in alerts]
    return "\n".join(lines) + "\n\n"
