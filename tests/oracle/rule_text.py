# SPDX-License-Identifier: Apache-2.0
"""Reads the part of the rule language that the oracle understands: streams, lists, match rules.

Written from language.md alone, and not from grammar/: two readings of one text are better than one.
A text that this cannot read raises Unsupported, and the case is left to the engine alone.
"""
import re
from dataclasses import dataclass, field
from typing import Optional

NS = 10**9
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": NS, "m": 60 * NS, "h": 3600 * NS, "d": 86400 * NS}
UNBOUNDED = 2**32 - 1


class Unsupported(Exception):
    """The oracle does not know this form."""


class Duration(int):
    """Nanoseconds between two times."""


class Time(int):
    """Nanoseconds since the start of the case."""


@dataclass
class Expr:
    kind: str            # literal list path call unary binary quantified
    op: str = ""
    fold: bool = False
    value: object = None
    args: list = field(default_factory=list)


@dataclass
class Key:
    name: str
    expr: Expr
    optional: bool


@dataclass
class Step:
    name: str
    streams: list
    where: Optional[Expr] = None
    within: Optional[int] = None
    keys: Optional[list] = None
    min: int = 1
    max: int = 1
    quantified: bool = False


@dataclass
class Element:
    kind: str            # step any all
    steps: list
    need: int = 1
    next: bool = False
    nots: list = field(default_factory=list)   # of the gap behind it
    number: int = 0

    @property
    def min(self):
        return self.steps[0].min if self.kind == "step" else 1


@dataclass
class Rule:
    name: str
    keys: list = field(default_factory=list)
    within: Optional[int] = None
    select: str = "first"
    elements: list = field(default_factory=list)
    lead_nots: list = field(default_factory=list)
    until: Optional[Step] = None
    emit: list = field(default_factory=list)
    suppress: Optional[int] = None
    suppress_by: list = field(default_factory=list)
    limit_runs: Optional[int] = None
    keep: int = 10

    @property
    def trail_nots(self):
        return self.elements[-1].nots

    def all_steps(self):
        steps = list(self.lead_nots)
        for element in self.elements:
            steps += element.steps + element.nots
        return steps + ([self.until] if self.until else [])


@dataclass
class Module:
    streams: dict = field(default_factory=dict)   # name -> (inputs, where)
    lists: dict = field(default_factory=dict)     # name -> (kind, items)
    rules: list = field(default_factory=list)


TOKEN = re.compile(r"""
    (?P<blank>\s+|\#[^\n]*|//[^\n]*)
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<raw>'(?:[^']|'')*')
  | (?P<quoted>`[^`]*`)
  | (?P<duration>(?:\d+(?:ns|us|ms|s|m|h|d))+(?![A-Za-z0-9_]))
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z0-9_]))
  | (?P<name>[A-Za-z_@][A-Za-z0-9_@]*)
  | (?P<sign>==~|!=~|==|!=|<=|>=|\?\?|[-+*/%<>=(){}\[\],:.?~])
""", re.X)
WORD_OPERATORS = {"in", "like", "regex", "contains", "contains_all", "startswith", "endswith"}
SIGN_OPERATORS = {"==", "!=", "<", "<=", ">", ">=", "==~", "!=~"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/"}


def read_duration(text):
    return Duration(sum(int(n) * UNITS[u] for n, u in re.findall(r"(\d+)(ns|us|ms|s|m|h|d)", text)))


def unescape(text):
    out, i = "", 0
    while i < len(text):
        if text[i] != "\\":
            out, i = out + text[i], i + 1
        elif text[i + 1] == "u":
            out, i = out + chr(int(text[i + 2:i + 6], 16)), i + 6
        elif text[i + 1] in ESCAPES:
            out, i = out + ESCAPES[text[i + 1]], i + 2
        else:
            raise Unsupported("escape \\" + text[i + 1])
    return out


def tokens_of(text):
    out, at = [], 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise Unsupported("cannot read: " + text[at:at + 20])
        at = m.end()
        if m.lastgroup != "blank":
            out.append((m.lastgroup, m.group()))
    return out + [("end", ""), ("end", ""), ("end", "")]


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    # -- tokens -------------------------------------------------------------------------------
    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def is_sign(self, sign, ahead=0):
        return self.peek(ahead) == ("sign", sign)

    def is_word(self, word, ahead=0):
        return self.peek(ahead) == ("name", word)

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, text):
        if self.peek() in (("sign", text), ("name", text)):
            self.at += 1
            return True
        return False

    def expect(self, text):
        if not self.accept(text):
            raise Unsupported(f"expected {text}, found {self.peek()[1]!r}")

    def name(self):
        kind, text = self.take()
        if kind == "quoted":
            return text[1:-1]
        if kind != "name":
            raise Unsupported(f"expected a name, found {text!r}")
        return text

    def duration(self):
        kind, text = self.take()
        if kind != "duration":
            raise Unsupported(f"expected a duration, found {text!r}")
        return read_duration(text)

    def integer(self):
        return int(self.take()[1])

    # -- expressions, weakest first -----------------------------------------------------------
    def expression(self):
        left = self.conjunction()
        while self.accept("or"):
            left = Expr("binary", "or", args=[left, self.conjunction()])
        return left

    def conjunction(self):
        left = self.negation()
        while self.accept("and"):
            left = Expr("binary", "and", args=[left, self.negation()])
        return left

    def negation(self):
        if self.is_word("not"):
            self.take()
            return Expr("unary", "not", args=[self.negation()])
        return self.comparison()

    def comparison(self):
        left = self.default()
        kind, text = self.peek()
        op = None
        if kind == "sign" and text in SIGN_OPERATORS:
            self.take()
            op = text.rstrip("~")
            return Expr("binary", op, text.endswith("~"), args=[left, self.default()])
        if kind == "name" and text in WORD_OPERATORS:
            op = text
            self.take()
        elif text == "not" and self.peek(1)[0] == "name" and self.peek(1)[1] in WORD_OPERATORS:
            self.take()
            op = "not " + self.take()[1]
        if not op:
            return left
        fold = self.accept("~")
        return Expr("binary", op, fold, args=[left, self.default()])

    def default(self):
        left = self.sum()
        while self.accept("??"):
            left = Expr("binary", "??", args=[left, self.sum()])
        return left

    def sum(self):
        left = self.product()
        while self.peek() in (("sign", "+"), ("sign", "-")):
            op = self.take()[1]
            left = Expr("binary", op, args=[left, self.product()])
        return left

    def product(self):
        left = self.primary()
        while self.peek() in (("sign", "*"), ("sign", "/"), ("sign", "%")):
            op = self.take()[1]
            left = Expr("binary", op, args=[left, self.primary()])
        return left

    def primary(self):
        kind, text = self.peek()
        if kind == "text":
            self.take()
            return Expr("literal", value=unescape(text[1:-1]))
        if kind == "raw":
            self.take()
            return Expr("literal", value=text[1:-1].replace("''", "'"))
        if kind == "duration":
            return Expr("literal", value=self.duration())
        if kind == "number":
            self.take()
            return Expr("literal", value=int(text) if text.isdigit() else float(text))
        if kind == "sign":
            return self.bracketed()
        if text in ("true", "false", "null"):
            self.take()
            return Expr("literal", value={"true": True, "false": False, "null": None}[text])
        if text in ("any", "all") and self.is_sign("(", 1):
            return self.quantified()
        if self.is_sign("(", 1) and kind == "name":
            return self.call()
        return self.path()

    def bracketed(self):
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if self.accept("["):
            return Expr("list", args=self.items("]"))
        if self.accept("-"):
            return Expr("unary", "neg", args=[self.primary()])
        raise Unsupported(f"no expression: {self.peek()[1]!r}")

    def items(self, end):
        items = []
        while not self.accept(end):
            items.append(self.expression())
            if not self.is_sign(end):
                self.expect(",")
        return items

    def quantified(self):
        op = self.take()[1]
        self.expect("(")
        variable = self.name()
        self.expect("in")
        source = self.default()
        self.expect(":")
        condition = self.expression()
        self.expect(")")
        return Expr("quantified", op, value=variable, args=[source, condition])

    def call(self):
        name = self.take()[1]
        self.expect("(")
        expr = Expr("call", name, args=self.items(")"))
        expr.value = self.members() if self.is_sign(".") else []
        return expr

    def members(self):
        parts = []
        while True:
            if self.accept("."):
                parts.append(self.name())
            elif self.is_sign("["):
                self.take()
                sign = -1 if self.accept("-") else 1
                parts.append(sign * self.integer())
                self.expect("]")
            else:
                return parts

    def path(self):
        first = self.name()
        return Expr("path", value=[first] + self.members())

    # -- declarations -------------------------------------------------------------------------
    def module(self):
        module = Module()
        while self.peek()[0] != "end":
            word = self.name()
            if word == "stream":
                self.stream(module)
            elif word == "list":
                self.list(module)
            elif word == "rule":
                module.rules.append(self.rule())
            else:
                raise Unsupported("declaration " + word)
        return module

    def stream(self, module):
        name = self.name()
        self.expect("=")
        inputs = [self.name()]
        while self.accept(","):
            inputs.append(self.name())
        where = self.expression() if self.accept("where") else None
        module.streams[name] = (inputs, where)
        if self.is_sign("{") or self.is_word("expect"):
            raise Unsupported("fields of a stream")

    def list(self, module):
        name = self.name()
        self.expect("=")
        kind = "plain"
        if self.peek()[1] in ("text", "cidr", "like", "regex"):
            kind = self.take()[1]
        if kind == "cidr":
            raise Unsupported("cidr list")
        self.expect("[")
        module.lists[name] = (kind, [item.value for item in self.items("]")])

    def rule(self):
        rule = Rule(self.name())
        self.expect("{")
        while not self.accept("}"):
            word = self.name()
            clause = getattr(self, "rule_" + word, None)
            if not clause:
                raise Unsupported("clause " + word)
            clause(rule)
        return rule

    def rule_title(self, rule):
        self.take()

    rule_description = rule_title

    def rule_severity(self, rule):
        self.expression()

    rule_risk = rule_severity
    rule_tags = rule_severity

    def rule_keep(self, rule):
        rule.keep = self.integer()

    def rule_limit(self, rule):
        if not self.accept("runs"):
            raise Unsupported("limit")
        rule.limit_runs = self.integer()
        self.expect("per")
        self.expect("key")

    def rule_suppress(self, rule):
        rule.suppress = self.duration()
        if self.accept("by"):
            rule.suppress_by = [self.path()]
            while self.accept(","):
                rule.suppress_by.append(self.path())

    def rule_emit(self, rule):
        if self.is_word("into"):
            raise Unsupported("emit into")
        self.expect("{")
        while not self.accept("}"):
            left = self.path().value
            self.expect("=")
            rule.emit.append((left, self.expression()))

    def rule_match(self, rule):
        if self.accept("by"):
            rule.keys = self.keys()
        if self.accept("within"):
            rule.within = self.duration()
        if self.accept("select"):
            rule.select = self.name()
            if rule.select == "all":
                raise Unsupported("select all")
        self.expect("{")
        while not self.accept("}"):
            self.element(rule)
        for number, element in enumerate(rule.elements):
            element.number = number

    # -- match --------------------------------------------------------------------------------
    def keys(self):
        keys = [self.key()]
        while self.accept(","):
            keys.append(self.key())
        return keys

    def key(self):
        optional = self.accept("?")
        if self.is_sign("=", 1):
            name = self.name()
            self.expect("=")
            return Key(name, self.expression(), optional)
        expr = self.path()
        return Key(".".join(str(p) for p in expr.value), expr, optional)

    def element(self, rule):
        if self.is_word("until"):
            self.take()
            rule.until = self.step()
            return
        if self.is_word("not"):
            self.take()
            (rule.elements[-1].nots if rule.elements else rule.lead_nots).append(self.step())
            return
        is_next = self.accept("next")
        if self.peek()[1] in ("any", "all") and not self.is_sign(":", 1):
            rule.elements.append(self.group(is_next))
        else:
            rule.elements.append(Element("step", [self.step()], next=is_next))

    def group(self, is_next):
        kind = self.take()[1]
        need = self.integer() if self.peek()[0] == "number" else None
        self.expect("{")
        steps = []
        while not self.accept("}"):
            steps.append(self.step())
        if need is None:
            need = 1 if kind == "any" else len(steps)
        return Element(kind, steps, need, is_next)

    def quantifier(self, step):
        step.quantified = True
        if self.accept("+"):
            step.min, step.max = 1, UNBOUNDED
        elif self.accept("*"):
            step.min, step.max = 0, UNBOUNDED
        elif self.accept("?"):
            step.min, step.max = 0, 1
        elif self.accept("{"):
            step.min = step.max = self.integer()
            if self.accept(","):
                step.max = UNBOUNDED if self.is_sign("}") else self.integer()
            self.expect("}")
        else:
            step.quantified = False

    def step(self):
        step = Step(self.name(), [])
        self.quantifier(step)
        self.expect(":")
        if self.accept("["):
            step.streams = [self.name()]
            while self.accept(","):
                step.streams.append(self.name())
            self.expect("]")
        else:
            step.streams = [self.name()]
        while True:
            if self.accept("by"):
                step.keys = self.keys()
            elif self.accept("where"):
                step.where = self.expression()
            elif self.accept("within"):
                step.within = self.duration()
            else:
                return step


def read_rules(text):
    return Parser(text).module()
