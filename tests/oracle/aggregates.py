# SPDX-License-Identifier: Apache-2.0
"""The aggregates of section 4, each from scratch over the events that it looks at.

"Over nothing `count` and `sum` are 0, `collect values top` are [], the others missing; non-numbers are
skipped." Integers are exact; averages are taken as fractions and rounded once.
"""
import math
from fractions import Fraction

from expression import Scope, evaluate, find, kind_of, same, true
from rule_text import Expr, Unsupported

WINDOW_AGGREGATES = {"count", "sum", "avg", "min", "max", "stddev", "variance", "first", "last",
                     "count_distinct", "approx_count_distinct", "collect", "values", "top", "prev"}


def number(value):
    """A Fraction as the number that it is."""
    return int(value) if value.denominator == 1 else value.numerator / value.denominator


def different(values):
    """Each once, in the order in which they first came."""
    found = []
    for value in values:
        if not any(same_value(value, f) for f in found):
            found.append(value)
    return found


def same_value(a, b):
    if isinstance(a, tuple):
        return all(same(x, y) for x, y in zip(a, b))
    return same(a, b)


def over_numbers(op, values, readings):
    numbers = [Fraction(v) for v in values if kind_of(v) == "number"]
    if op == "sum":
        return number(sum(numbers, Fraction(0)))
    if not numbers:
        return None
    if op in ("min", "max"):
        return number({"min": min, "max": max}[op](numbers))
    mean = sum(numbers, Fraction(0)) / len(numbers)
    if op == "avg":
        return number(mean)
    n = len(numbers) - (readings.deviation == "sample")
    if n == 0:
        return None
    variance = sum(((x - mean) ** 2 for x in numbers), Fraction(0)) / n
    return number(variance) if op == "variance" else math.sqrt(variance)


def most_frequent(values, n, readings):
    """The n most frequent; of equals the one that came first."""
    order = different(values)
    counts = [sum(same_value(v, o) for v in values) for o in order]
    if readings.top_ties == "last":
        return [v for v, _ in sorted(reversed(list(zip(order, counts))), key=lambda p: -p[1])][:n]
    return [v for v, _ in sorted(zip(order, counts), key=lambda p: -p[1])][:n]


def over_values(op, values, n, readings):
    if op == "first":
        return values[0] if values else None
    if op == "last":
        return values[-1] if values else None
    if op in ("count_distinct", "approx_count_distinct"):
        return len(different(values)) if values or readings.no_distinct == "zero" else None
    if op == "collect":
        return values[:n] if readings.collect == "oldest" else values[len(values) - min(n, len(values)):]
    if op == "values":
        order = different(values)
        return order[:n] if readings.collect == "oldest" else order[len(order) - min(n, len(order)):]
    if op == "top":
        return most_frequent(values, n, readings)
    raise Unsupported("aggregate " + op)


class Aggregator:
    """What aggregates mean for one rule: which input an argument speaks of."""

    def __init__(self, inputs, lists, readings):
        self.inputs, self.lists, self.readings = inputs, lists, readings

    def input_of(self, expr):
        """"with one input the name may be left out" """
        for path in paths_of(expr):
            if path[0] in self.inputs:
                return path[0]
        return self.inputs[0] if len(self.inputs) == 1 else None

    def value(self, expr, name, event):
        """An expression over an event of the input: `a.x` and, for the one that is meant, `x`."""
        return evaluate(expr, Scope(event, {name: [event]}, self.lists, set(self.inputs)))

    def holds(self, expr, name, event):
        return true(expr, Scope(event, {name: [event]}, self.lists, set(self.inputs)))

    def is_input(self, expr):
        return expr.kind == "path" and len(expr.value) == 1 and expr.value[0] in self.inputs

    def compute(self, expr, entries, before):
        """`entries`: (event, names of inputs) of the window in order; `before`: the key's entries
        before this event."""
        op, args, where = expr.op, expr.args, getattr(expr, "where", None)
        named = args[0] if args else where
        name = self.input_of(named) if named else None
        if op == "count" and not args and name is None:
            # "`count()` is the sum over inputs"
            names = [n for _, inputs in entries for n in inputs]
            if where is not None:
                raise Unsupported("count(where) over several inputs")
            return len(names)
        if op == "prev":
            past = [e for e, inputs in before if name in inputs]
            return find(past[-1].fields, self.own_path(args[0])) if past else None
        events = [e for e, inputs in entries if name in inputs]
        if where is not None:
            events = [e for e in events if self.holds(where, name, e)]
        if op == "count":
            if not args or self.is_input(args[0]):
                return len(events)
            return sum(self.holds(args[0], name, e) for e in events)
        n = None
        if op in ("collect", "values", "top") and len(args) > 1:
            n = args[1].value
            args = args[:1]
        rows = [tuple(self.value(a, name, e) for a in args) for e in events]
        if not (op in ("first", "last") and self.readings.first_missing == "event"):
            rows = [r for r in rows if all(v is not None for v in r)]
        values = [r[0] if len(args) == 1 else r for r in rows]
        if op in ("sum", "avg", "min", "max", "stddev", "variance"):
            return over_numbers(op, values, self.readings)
        return over_values(op, values, n, self.readings)

    def own_path(self, expr):
        return expr.value[1:] if expr.value[0] in self.inputs else expr.value

    def resolve(self, expr, window):
        """The expression with its aggregates, keys and window_start/window_end put in."""
        if expr.kind == "call" and expr.op in WINDOW_AGGREGATES:
            reach = getattr(expr, "within", None)
            return Expr("literal", value=self.compute(expr, window.entries_in(reach), window.before))
        if expr.kind == "path":
            name = ".".join(map(str, expr.value))
            if name in window.names:
                return Expr("literal", value=window.names[name])
            raise Unsupported("a bare field in a window: " + name)
        args = [self.resolve(a, window) for a in expr.args]
        return Expr(expr.kind, expr.op, expr.fold, expr.value, args)

    def evaluate(self, expr, window):
        return evaluate(self.resolve(expr, window), Scope(None, {}, self.lists, set()))


def paths_of(expr):
    found = [expr.value] if expr.kind == "path" else []
    for arg in expr.args:
        found += paths_of(arg)
    return found
