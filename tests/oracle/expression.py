# SPDX-License-Identifier: Apache-2.0
"""What an expression is worth for one candidate event and what a run has bound (section 2).

Missing is None. A value is text, int, float, bool, Time, Duration or list.
"""
import re

from rule_text import Duration, Time, Unsupported

NEGATIVE = {"!=": "==", "not in": "in", "not like": "like", "not regex": "regex",
            "not contains": "contains", "not contains_all": "contains_all",
            "not startswith": "startswith", "not endswith": "endswith"}
AGGREGATES = {"count", "sum", "avg", "min", "max", "first", "last", "values", "count_distinct", "prev"}


def find(value, parts):
    """Fields are dotted paths, found in nested objects and in flat keys with dots (nested wins). A
    path through an array of objects gives the list of what is found; x[0], x[-1] index."""
    if not parts:
        return value
    if isinstance(parts[0], int):
        if not isinstance(value, list) or not -len(value) <= parts[0] < len(value):
            return None
        return find(value[parts[0]], parts[1:])
    if isinstance(value, list):
        found = []
        for item in value:
            inner = find(item, parts)
            if isinstance(inner, list):
                found += inner
            elif inner is not None:
                found.append(inner)
        return found
    if not isinstance(value, dict):
        return None
    for n in range(1, len(parts) + 1):
        if all(isinstance(p, str) for p in parts[:n]) and ".".join(parts[:n]) in value:
            inner = find(value[".".join(parts[:n])], parts[n:])
            if inner is not None:
                return inner
    return None


def kind_of(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, Time):
        return "time"
    if isinstance(value, Duration):
        return "duration"
    if isinstance(value, (int, float)):
        return "number"
    return {str: "text", list: "list", dict: "object"}.get(type(value), "missing")


def same(a, b):
    """The identity of values, for keys and links: 1 is 1.0, but "1" is not 1, nor is true."""
    return kind_of(a) == kind_of(b) and a == b


def like(text, pattern):
    """Only * and ? are special, the backslash is itself, [*] [?] [[] are literal."""
    out, i = "", 0
    while i < len(pattern):
        if pattern[i:i + 3] in ("[*]", "[?]", "[[]"):
            out, i = out + re.escape(pattern[i + 1]), i + 3
        else:
            out += {"*": ".*", "?": "."}.get(pattern[i], re.escape(pattern[i]))
            i += 1
    return re.fullmatch(out, text, re.S) is not None


def fold_case(value):
    """Unicode simple case folding, near enough for what the cases hold."""
    return "".join(c.casefold() if len(c.casefold()) == 1 else c.lower() for c in value)


def scalar_holds(op, fold, a, b):
    """Comparing different types is false."""
    if kind_of(a) != kind_of(b) or a is None or kind_of(a) in ("list", "object"):
        return False
    if isinstance(a, str):
        if op == "regex":
            return re.search(b, a, re.I if fold else 0) is not None
        if fold:
            a, b = fold_case(a), fold_case(b)
        if op == "like":
            return like(a, b)
        if op == "contains":
            return b in a
        if op == "startswith":
            return a.startswith(b)
        if op == "endswith":
            return a.endswith(b)
    if op == "==":
        return a == b
    if kind_of(a) == "bool":
        return False
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.get(op, False)


def holds(op, fold, a, b):
    """A comparison in which either side is missing is false - != too. With a list-valued field it is
    true if true for any element; the negative forms only if the list is not empty and no element
    equals."""
    if a is None or b is None:
        return False
    if op in NEGATIVE:
        some = a if isinstance(a, list) else [a]
        if op == "!=" and not isinstance(a, list) and not isinstance(b, list):
            return kind_of(a) == kind_of(b) and not holds("==", fold, a, b)
        return len(some) > 0 and not any(holds(NEGATIVE[op], fold, x, b) for x in some)
    if isinstance(a, list):
        return any(holds(op, fold, x, b) for x in a)
    if isinstance(b, list):
        if op == "contains_all":
            return all(scalar_holds("contains", fold, a, y) for y in b)
        return any(scalar_holds("==" if op == "in" else op, fold, a, y) for y in b)
    return scalar_holds({"in": "==", "contains_all": "contains"}.get(op, op), fold, a, b)


def arithmetic(op, a, b):
    """On a missing or non-number operand, and for division by zero, missing."""
    kinds = (kind_of(a), kind_of(b))
    if op == "-" and kinds == ("time", "time"):
        return Duration(int(a) - int(b))
    if kinds == ("duration", "duration") and op in "+-":
        return Duration(int(a) + int(b) if op == "+" else int(a) - int(b))
    if kinds == ("duration", "duration") and op == "/":
        return None if b == 0 else int(a) / int(b)
    if kinds == ("duration", "number") and op in "*/":
        return None if op == "/" and b == 0 else Duration(int(a) * b if op == "*" else int(a) / b)
    if kinds != ("number", "number") or (op in "/%" and b == 0):
        return None
    if op == "/":
        return a / b
    return {"+": a + b, "-": a - b, "*": a * b}[op] if op in "+-*" else a % b


class Scope:
    """The candidate, what the run has bound (step name -> events), lists, and names of steps."""

    def __init__(self, event, bound, lists, steps):
        self.event, self.bound, self.lists, self.steps = event, bound, lists, steps
        self.variables = {}


def evaluate(expr, scope):
    return globals()["eval_" + expr.kind](expr, scope)


def true(expr, scope):
    return expr is None or evaluate(expr, scope) is True


def eval_literal(expr, scope):
    return expr.value


def eval_list(expr, scope):
    return [evaluate(item, scope) for item in expr.args]


def eval_path(expr, scope):
    first, rest = expr.value[0], expr.value[1:]
    if first in scope.variables:
        return find(scope.variables[first], rest)
    if first in scope.steps and rest:
        events = scope.bound.get(first, [])
        return find(events[-1].fields, rest) if events else None
    if expr.value == ["any_field"]:
        raise Unsupported("any_field")
    return find(scope.event.fields, expr.value)


def eval_unary(expr, scope):
    value = evaluate(expr.args[0], scope)
    if expr.op == "not":
        return value is not True
    return -value if kind_of(value) == "number" else Duration(-value) if kind_of(value) == "duration" else None


def declared_list(expr, scope):
    if expr.kind == "path" and len(expr.value) == 1 and expr.value[0] in scope.lists:
        return scope.lists[expr.value[0]]
    return None


def eval_binary(expr, scope):
    left, right = expr.args
    if expr.op == "and":
        return true(left, scope) and true(right, scope)
    if expr.op == "or":
        return true(left, scope) or true(right, scope)
    a = evaluate(left, scope)
    if expr.op == "??":
        return evaluate(right, scope) if a is None else a
    if expr.op in ("+", "-", "*", "/", "%"):
        return arithmetic(expr.op, a, evaluate(right, scope))
    declared = declared_list(right, scope)
    if declared:
        kind, items = declared
        op = expr.op
        if kind in ("like", "regex"):
            op = {"in": kind, "not in": "not " + kind}[op]
        return holds(op, expr.fold, a, items)
    return holds(expr.op, expr.fold, a, evaluate(right, scope))


def eval_quantified(expr, scope):
    items = evaluate(expr.args[0], scope)
    if items is None:
        return False
    results = []
    for item in items if isinstance(items, list) else [items]:
        scope.variables[expr.value] = item
        results.append(true(expr.args[1], scope))
        del scope.variables[expr.value]
    return any(results) if expr.op == "any" else all(results)


def eval_aggregate(expr, scope):
    """count(a) sum(a.x) ...: count 0, the rest missing when none; first(a).x last(a).x prev(a).x."""
    path = expr.args[0].value
    events = scope.bound.get(path[0], [])
    if expr.op == "count":
        return len(events)
    if expr.op in ("first", "last", "prev"):
        which = 0 if expr.op == "first" else -1
        return find(events[which].fields, path[1:] + expr.value) if events else None
    values = [v for v in (find(e.fields, path[1:]) for e in events) if v is not None]
    if not events or not values:
        return None
    if expr.op in ("values", "count_distinct"):
        different = []
        for v in values:
            if not any(same(v, d) for d in different):
                different.append(v)
        return different if expr.op == "values" else len(different)
    return {"sum": sum, "min": min, "max": max, "avg": lambda v: sum(v) / len(v)}[expr.op](values)


def eval_call(expr, scope):
    op, args = expr.op, expr.args
    named = args[0].value if args and args[0].kind == "path" else None
    step = named[0] if named and named[0] in scope.steps else None
    if op in AGGREGATES and step:
        return eval_aggregate(expr, scope)
    if op == "exists":
        if step and len(named) == 1:
            return len(scope.bound.get(step, [])) > 0
        return evaluate(args[0], scope) is not None
    if op == "time":
        if not args:
            return Time(scope.event.time)
        events = scope.bound.get(step, [])
        return Time(events[-1].time) if events else None
    if op == "stream":
        raise Unsupported("stream()")
    values = [evaluate(a, scope) for a in args]
    return call_function(op, values)


def call_function(op, values):
    if op == "if":
        return values[1] if values[0] is True else values[2]
    if any(v is None for v in values):
        return None
    x, number = values[0], kind_of(values[0]) == "number"
    if op in ("lower", "upper", "trim"):
        how = {"lower": str.lower, "upper": str.upper, "trim": lambda t: t.strip(" \t\r\n")}[op]
        return how(x) if isinstance(x, str) else None
    if op == "length":
        return len(x) if isinstance(x, (str, list)) else None
    if op == "number" and isinstance(x, str):
        x = x.strip(" \t\r\n")
        if re.fullmatch(r"[-+]?\d+", x):
            return int(x)
        return float(x) if re.fullmatch(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", x) else None
    if op == "number":
        return int(x) if isinstance(x, bool) else x if number else None
    if op == "abs":
        return abs(x) if number else None
    if op == "seconds":
        return int(x) / 10**9 if kind_of(x) == "duration" else None
    if op == "concat":
        texts = [text_of(v) for v in values]
        return None if None in texts else "".join(texts)
    raise Unsupported("function " + op)


def text_of(value):
    """As string() writes it; None of what has no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind_of(value) not in ("text", "number"):
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)
