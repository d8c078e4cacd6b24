#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of tables over HTTP: put, changed, taken away, rolled back; while events flow, and around kills.

    tables.py TOCSIND TOCSIN [PART...]
"""
import csv
import gzip
import http.client
import io
import json
import random
import signal
import sys
import threading
import time

import http_daemon
from http_daemon import Daemon, check, until

OWNERS = '/v1/tables/owners'
RULES = '''table owners = file "owners.csv" key host
rule owned { match by k { a: ev where n == 1 } emit { who = owners[k].who  tier = owners[k].tier } }
rule known { match by k { a: ev where n == 2 and k in owners } }
rule mark { match by k { a: ev where n == 99 } }
'''
FILE = 'host,who,tier\na,file,1\nb,file,2\n'
LINES = {'Content_Type': 'application/x-ndjson'}


def owners(rules=RULES, **more):
    return Daemon(rules={'base.rule': rules, 'owners.csv': FILE}, **more)


def lines(rows):
    return ''.join(json.dumps(row) + '\n' for row in rows)


def rows_of(d, table=OWNERS):
    """All rows, in pages."""
    found, after = [], 0
    while True:
        page = d.good('GET', f'{table}?limit=7&after={after}')
        found += page['items']
        if page['next'] is None:
            check(len(found) == page['rows'], f'{len(found)} rows of {page["rows"]}')
            return found
        after = page['next']


ticks = 1000


def told(d, *events):
    """Gives events to the daemon; what `owned` and `known` say of them, as (key, who or None)."""
    global ticks
    before = len(d.alerts())
    for k, n in events:
        ticks += 1
        d.events({'ts': ticks, 'k': k, 'n': n})
    ticks += 1
    d.events({'ts': ticks, 'k': f'm{ticks}', 'n': 99})
    until('the mark', lambda: any(a['key']['k'] == f'm{ticks}' for a in d.alerts()))
    return [(a['key']['k'], a['fields'].get('who')) for a in d.alerts()[before:] if a['rule'] != 'mark']


def part_basics():
    d = owners()
    file = d.good('GET', OWNERS)
    check(file['origin'] == 'file' and file['kind'] == 'file' and file['module'] == 'base.rule' and file['line'] == 1 and
          file['key'] == 'host' and file['file'] == 'owners.csv' and 'etag' not in file, f'{file}')
    check(file['items'] == [{'host': 'a', 'who': 'file', 'tier': 1}, {'host': 'b', 'who': 'file', 'tier': 2}], 'of the file')
    check(told(d, ('a', 1), ('c', 1), ('c', 2)) == [('a', 'file'), ('c', None)], 'the file')
    d.bad(409, 'POST', OWNERS, '{"host":"c"}\n', **LINES)
    d.bad(404, 'DELETE', OWNERS)
    d.bad(404, 'GET', OWNERS + '/versions')
    # CSV, and what rules see
    text = '\ufeffhost,who,tier,note,"no ""te"\r\na,up,3,"x,y",1\r\nc,up,4,"two\nlines",\r\n'
    dry = d.good('PUT', OWNERS + '?dry_run=1', text)
    check(dry['dry_run'] and dry['rules']['owned'] == 'kept' and d.good('GET', OWNERS)['origin'] == 'file', 'a dry run')
    one = d.good('PUT', OWNERS, text)
    check(one['changed'] and one['version'] == 1 and one['table']['rows'] == 2 and one['etag'] == dry['etag'], f'{one}')
    check(told(d, ('a', 1), ('b', 1), ('c', 2)) == [('a', 'up'), ('b', None), ('c', None)], 'what was uploaded')
    got = d.good('GET', OWNERS)
    check(got['origin'] == 'api' and got['by'] == 'local' and got['version'] == 1 and got['etag'] == one['etag'], f'{got}')
    check(got['items'] == [{'host': 'a', 'who': 'up', 'tier': 3, 'note': 'x,y', 'no "te': 1},
                           {'host': 'c', 'who': 'up', 'tier': 4, 'note': 'two\nlines'}], f'all of it: {got["items"]}')
    check(got['columns'] == [{'name': 'who', 'types': ['text']}, {'name': 'tier', 'types': ['integer']}], 'columns')
    status, headers, back = d.ask('GET', OWNERS, Accept='text/csv')
    check(headers['ETag'] == one['etag'] and list(csv.reader(io.StringIO(back, newline=''))) ==
          [['host', 'who', 'tier', 'note', 'no "te'], ['a', 'up', '3', 'x,y', '1'], ['c', 'up', '4', 'two\nlines', '']],
          f'as CSV: {back}')
    check(not d.good('PUT', OWNERS, back, If_Match='"x"', Content_Type='text/csv')['changed'], 'it goes round')
    status, headers, page = d.ask('GET', OWNERS + '?limit=1', Accept='application/x-ndjson')
    check(json.loads(page) == got['items'][0] and headers['Tocsin-Next'] == '1', 'a page of lines')
    check('Tocsin-Next' not in d.ask('GET', OWNERS + '?limit=1&after=1', Accept='application/x-ndjson')[1], 'the last')
    # lines of JSON: types stay, paths are found
    two = d.good('PUT', OWNERS, lines([{'host': 'a', 'who': 'json', 'x': {'y': [1]}}, {'host': 1, 'who': 'one', 'tier': 2.5}]),
                 If_Match=one['etag'])
    check(two['version'] == 2 and d.good('GET', OWNERS + '?key=1')['items'] ==
          [{'host': 1, 'who': 'one', 'tier': 2.5}], 'a number')
    check(d.good('GET', OWNERS + '?key=a')['items'][0]['x'] == {'y': [1]}, 'a text')
    d.bad(404, 'GET', OWNERS + '?key=%221%22')
    d.bad(412, 'PUT', OWNERS, text, If_Match=one['etag'])
    d.bad(412, 'POST', OWNERS, '{"host":"q"}', If_Match=one['etag'], **LINES)
    d.bad(412, 'DELETE', OWNERS, If_Match=one['etag'])
    d.bad(412, 'PUT', OWNERS, text, If_None_Match='*')
    # some rows
    three = d.good('POST', OWNERS, lines([{'host': 'c', 'who': 'new', 'tier': 1}, {'host': 'a', 'who': 'other'},
                                          {'host': 1, '@deleted': True}, {'host': 'none', '@deleted': True},
                                          {'host': 'd', 'who': 'x', '@deleted': False}]), **LINES)
    check(three['version'] == 3 and three['table']['rows'] == 3, f'{three}')
    check(told(d, ('a', 1), ('c', 1), ('1', 1), ('d', 1)) == [('a', 'other'), ('c', 'new'), ('1', None), ('d', 'x')], 'changed')
    check(not d.good('POST', OWNERS, '{"host":"none","@deleted":true}', **LINES)['changed'], 'nothing is taken away')
    d.bad(415, 'POST', OWNERS, FILE)
    # rolled back, over restarts and a kill
    check([v['version'] for v in d.good('GET', OWNERS + '/versions')['versions']] == [3, 2, 1], 'versions')
    check(d.good('POST', OWNERS + '/rollback?version=1')['etag'] == one['etag'], 'the first again')
    d.bad(404, 'POST', OWNERS + '/rollback?version=99')
    before = d.good('GET', OWNERS)
    check(before['version'] == 4 and told(d, ('a', 1)) == [('a', 'up')], 'rolled back')
    d.kill()
    d.start()
    check(d.good('GET', OWNERS) == before and told(d, ('a', 1)) == [('a', 'up')], 'after a kill')
    d.stop()
    d.write('rules/owners.csv', 'host,who,tier\na,later,7\n')  # not looked at
    d.start()
    check(d.good('GET', OWNERS) == before and told(d, ('a', 1)) == [('a', 'up')], 'after a stop')
    # the file again
    gone = d.good('DELETE', OWNERS, If_Match=before['etag'])
    check(gone['version'] == 5 and told(d, ('a', 1)) == [('a', 'later')], 'back to the file')
    check(d.good('GET', OWNERS + '/versions')['versions'][0]['deleted'], 'that is a version')
    d.bad(409, 'POST', OWNERS + '/rollback?version=5')
    check(d.good('POST', OWNERS + '/rollback')['version'] == 6 and told(d, ('a', 1)) == [('a', 'up')], 'numbers go on')
    versions = [v['version'] for v in d.good('GET', OWNERS + '/versions')['versions']]
    check(versions == [6, 5, 4, 3, 2], f'the last five are kept: {versions}')
    audit = [e['what'] for e in d.good('GET', '/v1/audit')['entries']]
    check(audit == ['roll table back', 'delete table', 'roll table back', 'change rows', 'put table', 'put table'], f'{audit}')
    d.stop()


def part_bad():
    """What is wrong with rows: all at once, and nothing changes."""
    d = owners()
    d.good('PUT', OWNERS, FILE.replace('file', 'good'))
    etag = d.good('GET', OWNERS)['etag']

    def wrong(body, *want, method='PUT', status=422, **more):
        problem = d.bad(status, method, OWNERS, body, **more)
        got = [(m['line'], m['column'], m['message']) for m in problem.get('diagnostics', [])]
        ok = len(got) == len(want) and all(g[0] == w[0] and g[1] == w[1] and w[2] in g[2] for g, w in zip(got, want))
        check(ok, f'{body[:60]!r}: {problem}')
        check(d.good('GET', OWNERS)['etag'] == etag, 'nothing has changed')
        return problem
    head = 'host,who,tier\n'
    wrong(head + 'a,x\na,x,1\n,x,1\n"a",y,2\nb,x,1,2\n"q\n', (2, 1, '2 fields'), (4, 1, 'is missing'),
          (5, 1, 'in line 3'), (6, 1, '4 fields'), (7, 1, 'does not end'))
    wrong(head + 'a,"x"y,1\nb,,\n', (2, 1, 'behind the quotes'))
    wrong('host,who\na,x\n', (1, 1, 'no column `tier`'))
    wrong('hots,who,tier\na,x,1\n', (1, 1, 'did you mean `hots`'))
    wrong('host,who,tier,who,\na,x,1,y,z\n', (1, 1, '`who` is there twice'), (1, 1, 'column 5 has no name'))
    wrong(head + 'a,\0,1\nb\n', (2, 3, 'NUL'), (3, 1, '1 field'))
    wrong(head.encode() + 'ä,'.encode() + b'\xff,1\nb,\xe2\x28,2\n', (2, 3, 'UTF-8'), (3, 3, 'UTF-8'))
    wrong(head.encode() + b'a,"two\nl\xc3ines",1\n', (3, 2, 'UTF-8'))
    wrong(head + 'a,%s,1\nb,x,1\n' % ('x' * 10_000_000), (2, 1, 'at most 1048576'))
    wrong(lines([{'host': 'a', 'tier': 1}])[:-3] + '\n{"host":[1]}\n[]\n{"host":{}}\n{"who":1}\n{"host":"a","host2":"\\ud800"}\n',
          (1, 1, ''), (2, 1, 'no single value'), (3, 1, ''), (4, 1, 'no single value'), (5, 1, 'is missing'), (6, 1, ''))
    wrong('{"host":1,"who":"x","tier":1}\n{"host":1.0}\n', (2, 1, 'the key 1 is there already, in line 1'))
    wrong('{"host":"a","@deleted":true}\n', (1, 1, '`@deleted`'))
    wrong('{"host":"a","@deleted":1}\n{"@deleted":true}\n', (1, 1, '`@deleted`'), (2, 1, 'is missing'), method='POST', **LINES)
    wrong(b'{"host":"\xff"}\n', (1, 10, 'UTF-8'))
    many = wrong(head + ',x,1\n' * 50, *[(i, 1, 'is missing') for i in range(2, 22)])
    check(many['detail'].startswith('50 mistakes'), 'all are counted')
    # what rules need: told where they need it
    more = RULES + 'rule needs { match by k { a: ev where owners[k].tier > 3 and lower(owners[k].who) == "x" } }\n'
    d.write('rules/base.rule', more)
    d.good('POST', '/v1/rules:reload')
    for body, what in ((head + 'a,1,2\nb,2,2\n', 'lower'), (head + 'a,x,y\n', 'never be true'),
                       ('{"host":"a","who":"x"}\n', 'no row of `owners` has `tier`')):
        problem = d.bad(422, 'PUT', OWNERS, body)
        check([m['file'] for m in problem['diagnostics']] == ['base.rule'], f'in the rule: {problem}')
        check(what in json.dumps(problem), f'{what}: {problem}')
    check(d.good('GET', OWNERS)['etag'] == etag, 'nothing has changed')
    problem = d.bad(422, 'POST', OWNERS, '{"host":"a"}\n{"host":"b"}\n', **LINES)
    check('no row of `owners` has' in problem['diagnostics'][0]['message'], f'{problem}')
    # a rule that comes later is measured by the rows too
    problem = d.bad(422, 'PUT', '/v1/modules/m', 'rule later { match by k { a: ev where owners[k].absent == 1 } }\n')
    check('no row of `owners` has `absent`' in problem['diagnostics'][0]['message'], f'{problem}')
    d.bad(400, 'PUT', OWNERS, '')
    d.bad(415, 'PUT', OWNERS, '\n [{"host":"a"}]')
    d.bad(415, 'PUT', OWNERS, [{'host': 'a'}])
    d.bad(404, 'PUT', '/v1/tables/none', FILE)
    d.bad(404, 'GET', '/v1/tables/none')
    d.bad(404, 'DELETE', '/v1/tables/none')
    # no rows at all, but a header
    check(d.good('PUT', OWNERS, head)['table']['rows'] == 0 and told(d, ('a', 1), ('a', 2)) == [('a', None)], 'empty')
    d.kill()
    d.start()
    check(rows_of(d) == [] and told(d, ('b', 1)) == [('b', None)], 'and after a kill')
    d.stop()


def part_limits():
    d = owners(http='table_bytes 1MiB table_versions 2 max_body 64KiB')
    row = lambda i: f'h{i},{"x" * 90},{i}\n'
    head = 'host,who,tier\n'
    big = head + ''.join(row(i) for i in range(8600))
    check(len(big) < 1 << 20, 'as CSV it is small enough')
    good = d.good('PUT', OWNERS, head + ''.join(row(i) for i in range(5000)))
    check(good['table']['rows'] == 5000, 'more than max_body')
    d.bad(413, 'PUT', OWNERS, big)
    try:
        d.bad(413, 'PUT', OWNERS, big + big)
    except ConnectionError:
        pass  # answered while the body was on its way
    d.bad(413, 'PUT', OWNERS, gzip.compress(b'\0' * 50_000_000), Content_Encoding='gzip')
    d.bad(400, 'PUT', OWNERS, gzip.compress(big.encode())[:-20], Content_Encoding='gzip')
    d.bad(413, 'POST', OWNERS, lines({'host': f'n{i}'} for i in range(5000)), **LINES)
    for i in range(3):
        status, _, data = d.ask('POST', OWNERS, lines({'host': f'n{i}-{j}', 'who': 'y' * 800} for j in range(70)), **LINES)
    until('full', lambda: d.ask('POST', OWNERS, lines({'host': f'{time.monotonic()}-{j}', 'who': 'y' * 800} for j in range(70)),
                                **LINES)[0] == 413)
    d.good('POST', OWNERS, lines({'host': f'h{i}', '@deleted': True} for i in range(1000)), **LINES)
    packed = gzip.compress((head + ''.join(row(i) for i in range(4000))).encode())
    check(d.good('PUT', OWNERS, packed, Content_Encoding='gzip')['table']['rows'] == 4000, 'packed')
    check(len(d.good('GET', OWNERS + '/versions')['versions']) == 2, 'two versions are kept')
    check(len(rows_of(d)) == 4000, 'all of them')
    d.stop()


def part_race():
    """Clients with one ETag: one of them gets 412. Large ones at once: all are whole."""
    d = owners()
    etag = d.good('PUT', OWNERS, FILE)['etag']
    for turn in range(6):
        got = {}

        def put(i):
            if (i + turn) % 3:
                got[i] = d.ask('PUT', OWNERS, f'host,who,tier\na,t{turn}-{i},1\n', If_Match=etag)
            else:
                got[i] = d.ask('POST', OWNERS, lines([{'host': 'a', 'who': f't{turn}-{i}', 'tier': 1}]), If_Match=etag, **LINES)
        threads = [threading.Thread(target=put, args=(i,)) for i in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check(sorted(g[0] for g in got.values()) == [200, 412, 412], f'{got}')
        winner = next(i for i in got if got[i][0] == 200)
        etag = got[winner][2]['etag']
        check(d.good('GET', OWNERS + '?key=a')['items'][0]['who'] == f't{turn}-{winner}', 'the winner is there')
    done = []
    body = lambda i: 'host,who,tier\n' + ''.join(f'h{j},w{i},{j}\n' for j in range(3000))
    threads = [threading.Thread(target=lambda i=i: done.append(d.good('PUT', OWNERS, body(i))['version'])) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(len(set(done)) == 6 and len({r['who'] for r in d.ask('GET', OWNERS)[2]['items']}) == 1, f'{done}')
    d.stop()


FLOW = '''table owners = file "owners.csv" key host
rule seen { match by k { a: ev where n == 1 } emit { one = owners["a"].v  other = owners["z"].v  i = a.i } }
rule pair { match by p within 1000000s { x: ev where n == 1 and half == 1  y: ev where n == 1 and half == 2 }
  emit { v = owners["a"].v  i = y.i } }
rule tum { window tumbling 1000s by h { s: ev where n == 1 } emit { n = count() } }
'''


class Flow(threading.Thread):
    """Events without an end: each has a number, and is half of a pair of which the other comes 40 events later."""

    def __init__(self, d, at=0):
        super().__init__(daemon=True)
        self.d, self.at, self.ends = d, at, threading.Event()
        self.start()

    def run(self):
        while not self.ends.wait(0.004):
            i, self.at = self.at, self.at + 1
            pair, half = (i // 80 * 40 + i % 40, 1 if i % 80 < 40 else 2)
            self.d.events({'ts': 1000 + i, 'n': 1, 'k': f'k{i}', 'i': i, 'p': f'p{pair}', 'half': half, 'h': 'all'})

    def stop(self):
        self.ends.set()
        self.join()
        return self.at


def check_flow(d, n):
    """Each event was judged once, by one version; versions never go back; nothing that was open is lost."""
    seen = lambda: [a for a in d.alerts() if a['rule'] == 'seen']
    until(f'{n} events', lambda: len(seen()) >= n)
    found = seen()
    check([a['fields']['i'] for a in found] == list(range(n)), 'each event once, in their order')
    check(all(a['fields']['one'] == a['fields']['other'] for a in found), 'by one version')
    versions = [a['fields']['one'] for a in found]
    check(versions == sorted(versions), 'versions never go back')
    pairs = sorted(a['fields']['i'] for a in d.alerts() if a['rule'] == 'pair')
    check(pairs == [i for i in range(n) if i % 80 >= 40], 'what was open over a change goes on')
    windows = [a['fields']['n'] for a in d.alerts() if a['rule'] == 'tum']
    check(windows == [1000] * len(windows) and len(windows) == n // 1000 - (1 if n % 1000 == 0 else 0), f'windows: {windows}')
    return versions


def flow_rows(v, n=40):
    return [{'host': 'a', 'v': v}] + [{'host': f'f{i}', 'v': v, 'text': 'x' * 60} for i in range(n)] + [{'host': 'z', 'v': v}]


def part_flow():
    """Rows are replaced and changed while events flow."""
    d = Daemon(rules={'base.rule': FLOW, 'owners.csv': 'host,v\na,0\nz,0\n'})
    flow = Flow(d)
    for v in range(1, 25):
        if v % 4 == 3:
            d.good('POST', OWNERS, lines([{'host': 'a', 'v': v}, {'host': 'z', 'v': v}]), **LINES)
        elif v == 12:
            d.process.send_signal(signal.SIGHUP)  # and the rules directory is read
            d.good('PUT', OWNERS, lines(flow_rows(v)))
        else:
            d.good('PUT', OWNERS, lines(flow_rows(v, 9000 if v % 8 == 0 else 40)))
        first = flow.at
        until('an event', lambda: flow.at > first + 1)
        # an event that was written when the answer was there is judged by this version or a later one
        until('it is judged', lambda: any(a['fields'].get('i') == first for a in d.alerts() if a['rule'] == 'seen'))
        got = next(a['fields']['one'] for a in d.alerts() if a['rule'] == 'seen' and a['fields']['i'] == first)
        check(got == v, f'event {first} was judged by {got}, not {v}')
    versions = check_flow(d, flow.stop())
    check(set(versions) >= set(range(1, 25)), 'each version was used')
    d.stop()


STEPS = ('table_piece', 'table_ahead', 'swap_decided', 'barrier_placed', 'epoch_closed', 'epoch_submitted', 'epoch_numbered',
         'epoch_written', 'epoch_done', 'swap_stopped', 'swap_begun', 'change_durable', 'table_swapped', None)


def part_kill():
    """Killed at each step, with rows that are written ahead and with such that are not."""
    steps = STEPS if http_daemon.needs_failpoints('kills at each step of a change of a table') else (None,)
    rng = random.Random(http_daemon.SEED)
    d = Daemon(rules={'base.rule': FLOW, 'owners.csv': 'host,v\na,0\nz,0\n'})
    d.good('PUT', OWNERS, lines(flow_rows(1)))
    v, flow = 1, Flow(d)
    for step in steps:
        large = step in ('table_piece', 'table_ahead', 'epoch_written', None)
        flow.stop()
        d.stop(verify=False)
        once = step and step.startswith(('table', 'swap', 'change'))  # others are passed at each checkpoint
        if step:
            d.env = {'TOCSIN_FAILPOINTS': f'{step}=kill@{1 if once else rng.randint(3, 9)}'}
        answered = None
        try:
            d.start()
            flow = Flow(d, flow.at)
            time.sleep(rng.random() * 0.1)
            if not step:
                threading.Timer(rng.random() * 0.2, d.process.kill).start()
            answered = d.ask('PUT', OWNERS, lines(flow_rows(v + 1, 20000 if large else 40)))
        except (ConnectionError, http.client.HTTPException, SystemExit):
            pass  # it died, perhaps before it was ready
        flow.stop()
        if answered is None or once:  # it is being killed
            d.process.wait(60)
        died = d.process.poll() is not None
        d.kill()
        d.env = {}
        d.start()
        flow = Flow(d, flow.at)
        check(step not in ('table_piece', 'table_ahead') or not died or 'was not completed are removed' in d.log(),
              f'{step}: what was written ahead stays')
        now = d.good('GET', OWNERS + '?key=a')
        check(now['items'][0]['v'] in (v, v + 1) and now['rows'] in (42, 20002), f'{step}: {now}')
        check(not answered or answered[0] != 200 or now['items'][0]['v'] == v + 1, f'{step}: it was answered, and is lost')
        check(now['items'][0]['v'] == d.good('GET', OWNERS + '?key=z')['items'][0]['v'], 'all or nothing')
        v = now['items'][0]['v']
    check(v > 2 or steps != STEPS, f'only {v} were put')  # behind the last two steps there is no doubt
    check_flow(d, flow.stop())
    d.stop()


def part_orphan():
    """A module that declares a table is changed, goes, comes back."""
    d = Daemon(rules={'mark.rule': RULES.split('\n')[3], 'owners.csv': FILE, 'other.csv': 'host,z\nq,1\n'})
    module = RULES.replace(RULES.split('\n')[3], '')
    d.good('PUT', '/v1/modules/m', module)
    d.good('PUT', OWNERS, FILE.replace('file', 'up').replace('host,', 'host,extra,').replace('\na,', '\na,e1,').replace('\nb,', '\nb,e2,'))
    check(told(d, ('a', 1)) == [('a', 'up')], 'uploaded')
    # other columns are read
    d.good('PUT', '/v1/modules/m', module.replace('owners[k].who', 'owners[k].extra'))
    check(told(d, ('a', 1)) == [('a', 'e1')], 'another column')
    d.good('PUT', '/v1/modules/m', module)
    check(told(d, ('b', 1)) == [('b', 'up')], 'the first again')
    # another key is refused
    problem = d.bad(422, 'PUT', '/v1/modules/m', module.replace('key host', 'key who').replace('owners[k].who', 'owners[k].host'))
    check('their key is `host`' in problem['diagnostics'][0]['message'] and '/v1/tables/owners' in problem['diagnostics'][0]['hint'],
          f'{problem}')
    # gone: kept and listed; over a kill
    d.good('DELETE', '/v1/modules/m')
    tables = d.good('GET', '/v1/tables')['tables']
    check([(t['name'], t['kind'], t['rows']) for t in tables] == [('owners', 'orphan', 2)], f'{tables}')
    check('items' not in d.good('GET', OWNERS), 'nothing of it is in memory')
    d.bad(404, 'PUT', OWNERS, FILE)
    d.kill()
    d.start()
    check(d.good('GET', '/v1/tables')['tables'] == tables, 'after a kill')
    d.good('PUT', '/v1/modules/m', module)
    check(told(d, ('a', 1)) == [('a', 'up')], 'it is back, and so are the rows')
    # events bring its rows: not these
    d.good('PUT', '/v1/modules/m', module.replace('file "owners.csv"', 'from ev').replace('key host', 'key k'))
    check(sorted((t['name'], t['kind']) for t in d.good('GET', '/v1/tables')['tables']) ==
          [('owners', 'orphan'), ('owners', 'stream')], 'both')
    stream = d.good('GET', OWNERS)
    check(stream['kind'] == 'stream' and stream['stream'] == 'ev' and stream['origin'] == 'events', f'{stream}')
    ids = [(k, 5) for k in 'xyz']
    told(d, *ids, ids[0])
    until('its rows', lambda: d.good('GET', OWNERS)['rows'] >= 3)
    d.bad(409, 'PUT', OWNERS, FILE)
    # dropped while nobody declares it
    d.good('DELETE', '/v1/modules/m')
    d.good('DELETE', OWNERS)
    check(d.good('GET', '/v1/tables')['tables'] == [], 'dropped')
    d.good('PUT', '/v1/modules/m', module)
    check(told(d, ('a', 1)) == [('a', 'file')], 'the file again')
    # a file that changes is read by SIGHUP, but not behind an upload
    d.write('rules/owners.csv', FILE.replace('file', 'newer'))
    d.process.send_signal(signal.SIGHUP)
    until('read again', lambda: told(d, ('a', 1)) == [('a', 'newer')])
    d.good('PUT', OWNERS, FILE.replace('file', 'upload'))
    d.write('rules/owners.csv', 'broken')
    check(not d.good('POST', '/v1/rules:reload')['changed'] and told(d, ('a', 1)) == [('a', 'upload')], 'the file is not looked at')
    d.bad(422, 'DELETE', OWNERS)  # the file cannot be read now
    check(told(d, ('a', 1)) == [('a', 'upload')], 'so the rows stay')
    d.stop()


def part_drain():
    """A rule that is drained keeps the rows that it had; so it does after a kill."""
    rules = '''table owners = file "owners.csv" key host
rule pair { match by k within 10000s { %s: ev where n == 1  b: ev where n == 2 } emit { who = owners[k].who } }
rule mark { match by k { a: ev where n == 99 } }
'''
    d = Daemon(rules={'base.rule': rules % 'a', 'owners.csv': FILE}, http='table_versions 1')
    d.good('PUT', OWNERS, FILE.replace('file', 'first'))
    check(told(d, ('a', 1)) == [], 'open')
    d.write('rules/base.rule', rules % 'z')
    check(d.good('POST', '/v1/rules:reload')['rules']['pair'] == 'drained', 'it drains')
    d.good('PUT', OWNERS, FILE.replace('file', 'second'))
    d.good('PUT', OWNERS, FILE.replace('file', 'third'))
    check(told(d, ('b', 1)) == [], 'of the new version')
    d.kill()
    d.start()
    got = sorted(told(d, ('a', 2), ('b', 2)))
    check(got == [('a', 'first'), ('b', 'third')], f'each by its rows: {got}')
    d.good('PUT', OWNERS, FILE.replace('file', 'fourth'))
    d.stop()


def part_windows():
    """A window for each row of a table: which rows there are may change."""
    d = Daemon(rules={'base.rule': '''table hosts = file "hosts.csv" key host
rule silent { window tumbling 10s by h in hosts { s: ev where n == 1 having count() == 0 } }
rule mark { match by k { a: ev where n == 99 } }
''', 'hosts.csv': 'host\na\nb\n'})
    hosts = '/v1/tables/hosts'

    def at(t, *events):
        d.events(*[{'ts': t, 'h': h, 'n': 1} for h in events], {'ts': t, 'k': f'w{t}', 'n': 99})
        until('the mark', lambda: any(a['key'].get('k') == f'w{t}' for a in d.alerts()))
    told = lambda: sorted((a['window']['start'][17:19], a['key']['h']) for a in d.alerts() if a['rule'] == 'silent')
    at(1001, 'a')
    at(1012, 'b')
    check(told() == [('40', 'b')], f'{told()}')
    d.good('PUT', hosts, 'host\na\nb\nc\n')
    at(1022, 'a', 'b', 'c')
    check(told() == [('40', 'b'), ('50', 'a'), ('50', 'c')], f'a row that came: {told()}')
    d.good('POST', hosts, lines([{'host': 'a', '@deleted': True}, {'host': 'd'}]), **LINES)
    d.kill()
    d.start()
    at(1031)
    at(1041)
    check(told() == sorted([('40', 'b'), ('50', 'a'), ('50', 'c'), ('00', 'd'), ('10', 'b'), ('10', 'c'), ('10', 'd')]),
          f'one that went, over a kill: {told()}')
    d.stop()


def part_large():
    """Many rows: written ahead; few of them changed; written whole again when much has changed."""
    d = owners()
    rows = {f'h{i}': {'host': f'h{i}', 'who': f'w{i}', 'tier': i % 9, 'note': 'n' * 40} for i in range(30000)}
    d.good('PUT', OWNERS, lines(rows.values()))
    rng = random.Random(http_daemon.SEED)
    for turn in range(8):
        change = []
        for _ in range(3000 if turn == 5 else 10):
            host = f'h{rng.randrange(31000)}'
            if rng.random() < 0.3:
                change.append({'host': host, '@deleted': True})
                rows.pop(host, None)
            else:
                rows[host] = {'host': host, 'who': f't{turn}', 'tier': rng.randrange(9)}
                change.append(rows[host])
        answer = d.good('POST', OWNERS, lines(change), **LINES)
        check(answer['table']['rows'] == len(rows), f'{answer} of {len(rows)}')
        if turn in (3, 6):
            d.kill()
            d.start()
    kinds = [v['change'] for v in d.good('GET', OWNERS + '/versions')['versions']]
    check(any(kinds), f'changes are kept as such: {kinds}')
    found, after = {}, 0
    while after is not None:
        status, headers, page = d.ask('GET', f'{OWNERS}?limit=20000&after={after}', Accept='application/x-ndjson')
        found.update((r['host'], r) for r in map(json.loads, page.splitlines()))
        after = headers.get('Tocsin-Next')
    check(found == rows, 'all rows are as they should be')
    check(d.good('POST', OWNERS + '/rollback?version=7')['changed'], 'back to a change')
    # the daemon stops while rows are read: they are taken, or nothing has changed
    before, got = d.good('GET', OWNERS)['version'], []
    body = lines({'host': f's{i}', 'who': 'stop', 'tier': i, 'note': 'n' * 100} for i in range(60000))
    for turn in range(3):
        def put():
            try:
                got.append(d.ask('PUT', OWNERS, body)[0])
            except (ConnectionError, http.client.HTTPException):
                got.append(0)
        thread = threading.Thread(target=put)
        thread.start()
        time.sleep(rng.random() * 0.6)
        d.stop(verify=turn == 2)
        thread.join()
        d.start()
        now = d.good('GET', OWNERS)
        check(got[turn] in (0, 200, 503) and now['version'] in (before, before + 1) and
              (got[turn] != 200 or now['version'] == before + 1), f'{got}: {before}, {now["version"]}')
        before, body = now['version'], body.replace(f'"s{turn}"', f'"t{turn}"')
    d.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    http_daemon.run_parts(PARTS, sys.argv[3:])
