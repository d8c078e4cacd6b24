#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the alerting rules and the dashboard for tocsin name what there is.

    dashboards.py SOURCE PLAIN OPEN     PLAIN, OPEN: /metrics of a daemon, as Prometheus and as OpenMetrics text
    dashboards.py --told SOURCE PLAIN OPEN   whether all is told by now, what is missing
    dashboards.py --test SOURCE         whether faults are found: each of some is put in, one at a time

What there is: src/base/metrics.def. Checked are, in each expression, names of metrics, labels that are selected,
grouped or matched by, counters that are read without rate() or increase() and gauges with; in texts and legends,
labels that the result has; of rules, that all is said and each is tested, on and off; of panels, that they
can be drawn; of /metrics, that it has what the table has, with the same labels and types.
"""
import json
import os
import re
import sys

import yaml

TARGET = {'job', 'instance'}  # what Prometheus adds
FOREIGN = {'up': set()}  # its own
COUNTING = {'rate', 'irate', 'increase', 'resets', 'changes'}
WORDS = {'and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan'}
GROUPING = {'by', 'without', 'on', 'ignoring', 'group_left', 'group_right'}
AGGREGATES = {'sum', 'min', 'max', 'avg', 'count', 'topk', 'bottomk', 'stddev', 'quantile'}
FUNCTIONS = AGGREGATES | COUNTING | {'absent', 'deriv', 'delta', 'avg_over_time', 'max_over_time', 'min_over_time',
                                     'time', 'clamp_min', 'clamp_max', 'label_values', 'histogram_quantile'}
SEVERITIES = {'critical', 'warning'}
faults = []
checks = 0


def check(ok, where, what):
    global checks
    checks += 1
    if not ok:
        faults.append(f'{where}: {what}')


def read_table(source):
    """Name -> (type, labels), of each metric."""
    text = open(os.path.join(source, 'src/base/metrics.def')).read()
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    prefix = dict(re.findall(r'^METRIC_GROUP\((\w+), \w+, "(\w+)"\)', text, re.M))
    rows = re.findall(r'^METRIC\((\w+), (\w+), (\w+), "(\w*)", "([\w,]*)",', text, re.M)
    check(len(rows) == len(re.findall(r'^METRIC\(', text, re.M)) > 80, 'metrics.def', f'{len(rows)} rows are understood')
    end = {'COUNTER': '_total', 'GAUGE': '', 'INFO': '_info'}
    table = {}
    for group, name, kind, _, labels in rows:
        name, labels = f'{prefix[group]}_{name}', set(filter(None, labels.split(',')))
        if kind == 'HISTOGRAM':
            table.update({f'{name}_bucket': ('BUCKET', labels | {'le'}), f'{name}_sum': ('SUM', labels),
                          f'{name}_count': ('SUM', labels)})
        else:
            table[name + end[kind]] = (kind, labels)
    return table


# ---- expressions -------------------------------------------------------------------------------

TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|(\[[^\]]*\])|([a-zA-Z_:][\w:]*)|'
                   r'(\$\{?\w+\}?)|(\d[\w.]*)|(=~|!~|!=|==|<=|>=|.))', re.S)
KINDS = ('text', 'range', 'name', 'variable', 'number', 'sign')


def tokens(text):
    return [(KINDS[m.lastindex - 1], m[m.lastindex]) for m in TOKEN.finditer(text.strip())]


def names_in(list_, at):
    """The names between the parentheses that open at list_[at]; and where it goes on."""
    names = set()
    at += 1
    while list_[at][1] != ')':
        if list_[at][0] == 'name':
            names.add(list_[at][1])
        at += 1
    return names, at + 1


class Expression:
    """What an expression names: matchers (metric, label), labels that are grouped or matched by, variables."""

    def __init__(self, text, table, where):
        self.where, self.table = where, table
        self.metrics, self.grouped, self.variables, self.selectors = set(), set(), set(), []
        self.kept = None  # labels of the result, if an aggregation outside says which
        self.list = tokens(text)
        check(text.count('(') == text.count(')') and text.count('{') == text.count('}'), where, 'unbalanced')
        self.read()

    def read(self):
        at, calls, pending = 0, [], None
        while at < len(self.list):
            kind, text = self.list[at]
            following = self.list[at + 1][1] if at + 1 < len(self.list) else ''
            if kind == 'variable':
                self.variables.add(text.strip('${}'))
            if kind == 'name' and text in GROUPING:
                if following == '(':
                    names, at = names_in(self.list, at + 1)
                    self.grouped |= names
                    if text == 'by' and not calls and self.kept is None:
                        self.kept = names
                    elif text == 'by' and set(calls) <= {'topk', 'bottomk', ''} and self.kept is None:
                        self.kept = names
                    continue
            elif kind == 'name' and (following == '(' or text in AGGREGATES):
                check(text in FUNCTIONS or text in WORDS, self.where, f'{text}() is not known to this test')
                pending = text if text not in WORDS else None
            elif kind == 'name' and text.lower() not in WORDS:
                at = self.read_selector(at, calls)
                continue
            elif text == '(':
                calls.append(pending or '')
                pending = None
            elif text == ')' and calls:
                calls.pop()
            at += 1

    def read_selector(self, at, calls):
        name, matched = self.list[at][1], {}
        at += 1
        if at < len(self.list) and self.list[at][1] == '{':
            while self.list[at][1] != '}':
                if self.list[at][0] == 'name':
                    matched[self.list[at][1]] = self.list[at + 1][1] + self.list[at + 2][1]
                    check(self.list[at + 2][0] == 'text', self.where, f'{name}: {self.list[at][1]} has no value')
                    at += 2
                    self.variables |= set(re.findall(r'\$\{?(\w+)', self.list[at][1]))
                at += 1
            at += 1
        has_range = at < len(self.list) and self.list[at][0] == 'range'
        if has_range:
            self.variables |= set(re.findall(r'\$\{?(\w+)', self.list[at][1]))
        self.metrics.add(name)
        self.selectors.append((name, matched))
        known = name in self.table or name in FOREIGN
        check(known, self.where, f'there is no metric {name}')
        if known:
            kind, labels = self.table.get(name, ('GAUGE', FOREIGN.get(name)))
            for label in matched:
                check(label in labels | TARGET, self.where, f'{name} has no label {label}')
            inner = calls[-1] if calls else ''
            kind = 'COUNTER' if kind in ('BUCKET', 'SUM') else kind
            check((kind == 'COUNTER') <= (inner in COUNTING), self.where, f'the counter {name} without rate()')
            check(kind == 'COUNTER' or inner not in {'rate', 'irate', 'increase'}, self.where,
                  f'{inner}() of {name}, which is no counter')
            check(has_range == (inner in COUNTING | {'deriv', 'delta'} or inner.endswith('_over_time')), self.where,
                  f'{name}: a range where none belongs, or none')
        return at

    def labels(self):
        """That the result may have."""
        all_ = set(TARGET)
        for metric in self.metrics:
            all_ |= self.table.get(metric, ('', set()))[1]
        check(self.grouped <= all_, self.where, f'groups by {sorted(self.grouped - all_)}, which nothing there has')
        return self.kept if self.kept is not None else all_


# ---- alerting rules ----------------------------------------------------------------------------

def check_rules(text, table):
    """Name -> labels, of each alert."""
    document = yaml.safe_load(text)
    alerts = {}
    for group in document['groups']:
        for rule in group['rules']:
            name = rule.get('alert', '')
            where = f'rule {name}'
            check(re.fullmatch(r'Tocsin[A-Z]\w+', name) and name not in alerts, where, 'its name')
            check(set(rule) == {'alert', 'expr', 'for', 'labels', 'annotations'}, where, f'has {sorted(rule)}')
            check(re.fullmatch(r'\d+[smh]', str(rule.get('for'))), where, 'for')
            check(rule['labels'].get('severity') in SEVERITIES, where, 'severity')
            check(set(rule['annotations']) == {'summary', 'description'}, where, 'summary and description')
            e = Expression(rule['expr'], table, where)
            alerts[name] = e.labels()
            check(any(m.startswith('tocsin_') or m == 'up' for m in e.metrics), where, 'is not of tocsin')
            check(any(m in ('up',) or m.startswith('tocsin_') for m, _ in e.selectors), where, 'tells others apart')
            summary, description = (rule['annotations'].get(k, '') for k in ('summary', 'description'))
            check(20 <= len(summary) <= 120, where, f'summary of {len(summary)} characters')
            check(len(description) >= 80 and description[-1] in '.?', where, 'description says what to do')
            for label in re.findall(r'\$labels\.(\w+)', summary + description):
                check(label in alerts[name], where, f'{{{{ $labels.{label} }}}} is not in its result')
            for label in alerts[name] - {'job'} if 'absent' not in rule['expr'] else ():
                check(f'$labels.{label}' in summary or label == 'version', where, f'the summary does not say the {label}')
            mentioned = set(re.findall(r'\b(?:tocsin|process)_\w+', description))
            for metric in mentioned:
                check(metric in table, where, f'the description names {metric}')
            for other in re.findall(r'\bTocsin[A-Z]\w+', description):
                check(re.search(rf'alert: {other}\b', text), where, f'the description names {other}')
    return alerts


def check_rule_tests(text, table, alerts):
    document = yaml.safe_load(text)
    on, off = set(), set()
    for test in document['tests']:
        where = f"test `{test['name']}'"
        for series in test['input_series']:
            name, labels = re.fullmatch(r'(\w+)\{(.*)\}', series['series']).groups()
            labels = set(re.findall(r'(\w+)="', labels))
            check(name in table or name in FOREIGN, where, f'there is no metric {name}')
            check(labels == TARGET | table.get(name, ('', set()))[1], where, f'{name} has the labels {sorted(labels)}')
        told, quiet = set(), False
        for query in test.get('promql_expr_test', []):
            samples = query['exp_samples']
            quiet |= not samples
            for sample in samples:
                name = re.search(r'alertname="(\w+)"', sample['labels'])[1]
                check(name in alerts, where, f'there is no alert {name}')
                told.add(name)
        on |= told
        off |= told if quiet else set()
    for name in alerts:
        check(name in on, f'rule {name}', 'no test has it fire')
        check(name in off, f'rule {name}', 'no test has it not fire')


# ---- the dashboard -----------------------------------------------------------------------------

def check_grid(panels):
    taken = {}
    for p in panels:
        where, g = f"panel `{p.get('title')}'", p['gridPos']
        check(g['w'] > 0 and g['h'] > 0 and 0 <= g['x'] and g['x'] + g['w'] <= 24, where, f'lies at {g}')
        cells = {(x, y) for x in range(g['x'], g['x'] + g['w']) for y in range(g['y'], g['y'] + g['h'])}
        for cell in cells:
            other = taken.setdefault(cell, p)
            if other is not p:
                check(False, where, f"lies over `{other['title']}'")
                break


def check_target(where, target, table, variables):
    e = Expression(target['expr'], table, where)
    check(target['datasource'].get('uid') == '${datasource}', where, 'another data source')
    for name, matched in e.selectors:
        check(matched.get('job') == '=~"$job"' and matched.get('instance') == '=~"$instance"', where,
              f'{name} is not of the job and instance that were chosen')
    for name in e.variables:
        check(name in variables or name in {'__rate_interval', '__range', '__interval'}, where, f'no variable {name}')
    labels = e.labels()
    for label in re.findall(r'\{\{\s*(\w+)\s*\}\}', target.get('legendFormat', '')):
        check(label in labels, where, f'its legend says {label}, its result has {sorted(labels)}')
    return e.metrics


def check_panel(p, table, variables):
    where = f"panel `{p.get('title')}'"
    check(p.get('title'), where, 'has no title')
    check('description' in p, where, 'has no description')
    check(p.get('datasource', {}).get('uid') == '${datasource}', where, 'another data source')
    check(p['type'] in {'timeseries', 'stat', 'bargauge', 'table'}, where, f"is a {p['type']}")
    check(p['type'] == 'table' or p['fieldConfig']['defaults'].get('unit'), where, 'has no unit')
    check(p.get('targets'), where, 'has no targets')
    ids = [t['refId'] for t in p.get('targets', [])]
    check(len(ids) == len(set(ids)), where, 'two targets of one refId')
    legends = [t.get('legendFormat') for t in p['targets']]
    check(len(legends) == len(set(legends)), where, 'two targets of one legend')
    return set().union(*(check_target(where, t, table, variables) for t in p['targets']))


def check_dashboard(text, table):
    d = json.loads(text)
    check(d.get('uid') == 'tocsin' and d.get('title') and d.get('schemaVersion', 0) >= 36, 'dashboard', 'its head')
    check(d.get('id') is None, 'dashboard', 'an id of one Grafana')
    variables = {v['name']: v for v in d['templating']['list']}
    check(variables.get('datasource', {}).get('type') == 'datasource', 'dashboard', 'a variable for the data source')
    check({'job', 'instance'} <= set(variables), 'dashboard', 'variables for job and instance')
    for v in variables.values():
        if v['type'] == 'query':
            check(v['datasource'].get('uid') == '${datasource}', f"variable {v['name']}", 'another data source')
            metric, label = re.fullmatch(r'label_values\((\w+)(?:\{.*\})?, (\w+)\)', v['query']['query']).groups()
            check(metric in table and label in TARGET | table.get(metric, ('', set()))[1],
                  f"variable {v['name']}", v['query']['query'])
    panels = d['panels']
    ids = [p['id'] for p in panels]
    check(len(ids) == len(set(ids)), 'dashboard', 'two panels of one id')
    titles = [p['title'] for p in panels]
    check(len(titles) == len(set(titles)), 'dashboard',
          f'two panels of one title: {sorted(t for t in titles if titles.count(t) > 1)}')
    check_grid(panels)
    used = set()
    for p in panels:
        if p['type'] != 'row':
            used |= check_panel(p, table, variables)
    for a in d['annotations']['list']:
        used |= check_target(f"annotation {a['name']}", {**a, 'legendFormat': a['textFormat']}, table, variables)
    return used


# ---- /metrics ----------------------------------------------------------------------------------

def is_elsewhere(name):
    """There with a broker alone: tests/kafka/rules.py and source.py look at these."""
    return name.startswith(('tocsin_rules_topic_', 'tocsin_partition_', 'tocsin_source_loading'))


def not_told(text, table):
    told = set(re.findall(r'^(\w+)[{ ]', text, re.M))
    return sorted(name for name in set(table) - told if not is_elsewhere(name))


def check_output(text, where, table, is_open):
    types = dict(re.findall(r'^# TYPE (\w+) (\w+)$', text, re.M))
    told = {}
    for line in text.splitlines():
        m = re.match(r'(\w+)(?:\{(.*)\})? (-?[\d.]+)$', line)
        check(m or line.startswith('# '), where, f'a line of another form: {line}')
        if m:
            told.setdefault(m[1], set()).add(frozenset(re.findall(r'(\w+)="', m[2] or '')))
    for name in told:
        check(name in table, where, f'{name} is not in the table')
    for name, (kind, labels) in table.items():
        family = re.sub(r'_(total|info)$', '', name) if is_open else name
        if kind in ('BUCKET', 'SUM'):
            family, kind = re.sub(r'_(bucket|sum|count)$', '', name), 'HISTOGRAM'
        if is_elsewhere(name):
            continue
        check(told.get(name) == {frozenset(labels)}, where, f'{name} has {told.get(name)}')
        want = kind.lower() if is_open or kind != 'INFO' else 'gauge'
        check(types.get(family) == want, where, f'{name} is a {types.get(family)}')
    check(not is_open or text.endswith('\n# EOF\n'), where, 'its end')


# ---- all of it ---------------------------------------------------------------------------------

FILES = {'rules': 'contrib/prometheus/tocsin.rules.yml', 'tests': 'contrib/prometheus/tocsin.rules.test.yml',
         'dashboard': 'contrib/grafana/tocsin.json'}

# What is put in the place of what, and must be found: (file, old, new).
MUTANTS = [
    ('rules', 'tocsin_sink_disabled == 1', 'tocsin_sink_disbled == 1'),
    ('rules', 'rate(tocsin_http_refused_total[10m])', 'tocsin_http_refused_total'),
    ('rules', 'tocsin_checkpoint_last_write_seconds > 10', 'rate(tocsin_checkpoint_last_write_seconds[5m]) > 10'),
    ('rules', 'tocsin_http_requests_total{answer="5xx"}', 'tocsin_http_requests_total{code="5xx"}'),
    ('rules', 'on (job, instance, source) rate', 'on (job, instance, sorce) rate'),
    ('rules', 'rule {{ $labels.rule }} on', 'rule {{ $labels.sink }} on'),
    ('rules', '{ severity: warning }', '{ severity: page }'),
    ('rules', 'alert: TocsinSinkDisabled', 'alert: TocsinSinkFailing'),
    ('rules', '        for: 2m\n', ''),
    ('rules', 'TocsinRestarting\n', 'TocsinRestarts\n'),
    ('tests', 'tocsin_sink_disabled{', 'tocsin_sink_gone{'),
    ('tests', 'limit="events"', 'cut="events"'),
    ('tests', 'alertname="TocsinHttpRefused"', 'alertname="TocsinHttpErrors"'),
    ('dashboard', 'tocsin_http_slow_total', 'tocsin_http_sluggish_total'),
    ('dashboard', '{{rule}} ({{instance}})', '{{sink}} ({{instance}})'),
    ('dashboard', 'sum by (instance, answer)', 'sum by (instance, code)'),
    ('dashboard', 'topk($top,', 'topk($first,'),
    ('dashboard', '"uid": "${datasource}"', '"uid": "P1234"'),
    ('dashboard', '"x": 3,', '"x": 2,'),
    ('dashboard', '"x": 21,', '"x": 22,'),
    ('dashboard', 'sum(up{job=~\\"$job\\", instance', 'sum(up{instance'),
    ('dashboard', '"unit": "short"', '"unit": ""'),
]


def check_files(text, table):
    """Metrics that the dashboard has."""
    alerts = check_rules(text['rules'], table)
    check_rule_tests(text['tests'], table, alerts)
    return check_dashboard(text['dashboard'], table)


def main(arguments):
    source = arguments[1] if arguments[0].startswith('--') else arguments[0]
    table = read_table(source)
    if arguments[0] == '--told':
        missing = [name for path in arguments[2:] for name in not_told(open(path).read(), table)]
        print(*missing)
        return bool(missing)
    text = {name: open(os.path.join(source, path), encoding='utf-8').read() for name, path in FILES.items()}
    if arguments[0] == '--test':
        missed = []
        for file, old, new in MUTANTS:
            faults.clear()
            check_files({**text, file: text[file].replace(old, new, 1)}, table)
            if old not in text[file] or not faults:
                missed.append(f'not found: {new.strip()} for {old.strip()}')
        print('\n'.join(missed))
        return bool(missed)
    used = check_files(text, table)
    check_output(open(arguments[1]).read(), '/metrics', table, False)
    check_output(open(arguments[2]).read(), '/metrics as OpenMetrics', table, True)
    unused = sorted(set(table) - used)
    if unused:
        print('not on the dashboard:', *unused)
    print(*faults, sep='\n')
    print(f'{checks} checks')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
