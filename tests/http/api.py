#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP interface of the daemon.

    api.py TOCSIND TOCSIN [PART...]
"""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from http_daemon import (FILES, MARK, PAIR, TOCSIN, TOCSIND, Daemon, check, directory, fits, needs_failpoints, q, run_parts,
                         until)


def part_modules():
    d = Daemon(rules={'base/mark.rule': MARK})
    module = '/v1/modules/' + q('team/pair')
    check([m['name'] for m in d.good('GET', '/v1/modules')['modules']] == ['base/mark.rule'], 'the file')
    # made, read, the same again, a comment, a mistake
    one = d.good('PUT', module, PAIR % ('first', 'a', 'one'))
    check(one['changed'] and one['version'] == 1 and one['rules'] == {'pair': 'added', 'mark': 'unchanged'}, f'{one}')
    same = d.good('PUT', module, PAIR % ('first', 'a', 'one'), If_Match='"nonsense"')
    check(not same['changed'] and same['version'] == 1, 'the same text is unchanged, whatever the ETag')
    comment = d.good('PUT', module, PAIR % ('second', 'a', 'one'))
    check(comment['changed'] and comment['version'] == 2 and set(comment['rules'].values()) == {'unchanged'} and
          comment['generation'] == one['generation'], 'another comment: another text, the same rules')
    got = d.good('GET', module)
    check(got['text'] == PAIR % ('second', 'a', 'one') and got['etag'] == comment['etag'] and
          got['rules'] == ['pair'] and got['origin'] == 'api', 'as it was put')
    status, headers, text = d.ask('GET', module, Accept='text/plain')
    check(text == got['text'] and headers['ETag'] == got['etag'], 'the text alone')
    problem = d.bad(422, 'PUT', module, PAIR % ('third', 'a', 'one') + 'rule bad { match by k { a: ev where n = 1 } }')
    check([(e['file'], e['line'], e['hint']) for e in problem['diagnostics']] == [('team/pair', 7, 'equality is `==`')],
          f'mistakes: {problem}')
    # two rules of one name: the places of both
    problem = d.bad(422, 'PUT', '/v1/modules/other', MARK)
    check('mark' in problem['diagnostics'][0]['message'], 'a name twice')
    # what would become of it
    d.events({'ts': 100, 'k': 'x', 'n': 1})
    d.events({'ts': 101, 'k': 'm1', 'n': 99})
    until('read', lambda: [a for a in d.alerts() if a['rule'] == 'mark'])
    dry = d.good('PUT', module + '?dry_run=1', PAIR % ('third', 'z', 'two'))
    check(dry['dry_run'] and dry['rules']['pair'] == 'drained' and d.good('GET', module)['version'] == 2, 'a dry run')
    check(d.good('PUT', module + '?dry_run=1&on_reload=fresh', PAIR % ('third', 'z', 'two'))['rules']['pair'] == 'fresh',
          'fresh')
    problem = d.bad(409, 'PUT', module + '?on_reload=refuse', PAIR % ('third', 'z', 'two'))
    check(problem['rules']['pair'] == 'refused' and problem['type'].endswith('state-would-be-lost'), 'refused')
    d.bad(400, 'PUT', module + '?on_reload=never', 'x')
    check(d.good('PUT', module + '?on_reload=refuse&allow_state_drop=1&dry_run', PAIR % ('third', 'z', 'two'))
          ['rules']['pair'] == 'fresh', 'dropped if that is allowed')
    kept = d.good('PUT', module, PAIR % ('third', 'a', 'two'))
    check(kept['rules']['pair'] == 'kept', 'another text of the same shape is kept')
    drained = d.good('PUT', module, PAIR % ('fourth', 'z', 'three'))
    check(drained['rules']['pair'] == 'drained' and drained['version'] == 4, 'drained')
    check(d.good('GET', '/v1/rules/pair')['draining'] == 1, 'what drains is told')
    d.events({'ts': 102, 'k': 'y', 'n': 1}, {'ts': 103, 'k': 'x', 'n': 2}, {'ts': 104, 'k': 'y', 'n': 2})
    until('both', lambda: sorted(a['fields']['v'] for a in d.alerts() if a['rule'] == 'pair') == ['three', 'two'])
    # versions
    versions = d.good('GET', module + '/versions')['versions']
    check([v['version'] for v in versions] == [4, 3, 2, 1], 'versions')
    check(d.good('GET', module + '?version=1')['text'] == PAIR % ('first', 'a', 'one'), 'an old version')
    diff = d.good('GET', module + '/diff')
    check(diff.startswith('--- version 3\n+++ version 4\n@@ ') and '-# third\n+# fourth\n' in diff, f'a diff: {diff}')
    check('-# first\n+# third\n' in d.good('GET', module + '/diff?from=1&to=3'), 'of others')
    check(d.good('GET', module + '/diff?from=3&to=3') == '', 'no difference')
    d.bad(404, 'GET', module + '/diff?from=9')
    back = d.good('POST', module + '/rollback')
    check(back['version'] == 5 and d.good('GET', module)['text'] == PAIR % ('third', 'a', 'two'), 'rolled back')
    check(d.good('POST', module + '/rollback?version=1')['version'] == 6, 'to the first')
    d.bad(404, 'POST', module + '/rollback?version=77')
    # sides
    d.bad(409, 'PUT', '/v1/modules/' + q('base/mark.rule'), 'x')
    d.bad(409, 'DELETE', '/v1/modules/' + q('base/mark.rule'))
    d.bad(404, 'GET', '/v1/modules/' + q('base/mark.rule') + '/versions')
    d.write('rules/team/pair', '')  # no *.rule: no module
    d.good('PUT', '/v1/modules/later.rule2', '# nothing\n')
    check(d.good('POST', '/v1/rules:reload?dry_run=1')['dry_run'], 'another name')
    for name in ('', '.', '..', '.hidden', 'a//b', 'a/', '/a', 'a b', 'ä', 'x' * 201, 'a/../b', 'a/.b'):
        status, _, _ = d.ask('PUT', '/v1/modules/' + q(name), '# x\n')
        check(status in (400, 404, 405), f'name {name!r}: {status}')
    d.bad(400, 'PUT', '/v1/modules/a', '')
    d.bad(400, 'PUT', '/v1/modules/a', b'# \xff\n')
    d.ask('PUT', '/v1/modules/a', b'# \0\n')
    # files: of the rules directory alone
    d.write('rules/good.txt', 'x\ny\n')
    d.write('secret.txt', 'x\n')
    where = '%s rule listed { match by k { a: ev where k in names } }\n'
    listed = lambda path: d.ask('PUT', '/v1/modules/listed', where % f'list names = text file "{path}"')
    for path in ('/etc/passwd', '../secret.txt', 'a/../../secret.txt'):
        status, _, data = listed(path)
        if 'rules directory alone' not in json.dumps(data):
            check(False, f'{path}: {data}')
    check(listed('good.txt')[0] == 200, 'a file beside the rules')
    d.good('DELETE', '/v1/modules/listed')
    # away, and back with the next number
    gone = d.good('DELETE', module, If_Match=d.good('GET', module)['etag'])
    check(gone['rules']['pair'] == 'removed' and gone['version'] == 7, 'taken away')
    d.bad(404, 'GET', module)
    d.bad(404, 'DELETE', module)
    check(d.good('GET', module + '/versions')['versions'][0]['deleted'], 'that is a version')
    d.bad(409, 'POST', module + '/rollback?version=7')
    check(d.good('PUT', module, PAIR % ('again', 'a', 'one'))['version'] == 8, 'numbers go on')
    # all of it outlives a restart, and a kill
    before = d.good('GET', '/v1/modules')
    d.kill()
    d.start()
    check(d.good('GET', '/v1/modules') == before, 'after a kill')
    d.stop()
    d.start()
    check(d.good('GET', '/v1/modules') == before, 'after a stop')
    audit = d.good('GET', '/v1/audit')['entries']
    check([e['what'] for e in audit[:2]] == ['put module', 'delete module'] and audit[0]['who'] == 'local' and
          audit[0]['name'] == 'team/pair' and audit[1]['before'] and not audit[1]['after'], f'audit: {audit[:2]}')
    numbers = [e['number'] for e in audit]
    check(numbers == list(range(len(numbers), 0, -1)), 'audit: each change once')
    check([e['number'] for e in d.good('GET', '/v1/audit?limit=2&before=4')['entries']] == [3, 2], 'a page')
    d.stop()


def part_counters():
    """What a rule counted goes on when another version of it takes its place, and when the old one has ended."""
    d = Daemon(rules={'base/mark.rule': MARK}, engine='checkpoint 100ms')
    module, seen = '/v1/modules/' + q('team/pair'), []

    def counted(path='/metrics'):
        text = d.good('GET', path)
        found = [re.search(r'^tocsin_rule_%s_total\{rule="pair"\} (\d+)$' % what, text, re.M) for what in ('events', 'alerts')]
        now = tuple(int(m[1]) for m in found) if all(found) else None
        check(now and (not seen or all(a >= b for a, b in zip(now, seen[-1]))), f'nothing falls: {seen[-3:]}, {now}')
        seen.append(now)
        return now
    d.good('PUT', module, PAIR % ('first', 'a', 'one'))
    d.events(*[{'ts': 100 + n, 'k': f'x{n // 2}', 'n': n % 2 + 1} for n in range(20)])
    d.events({'ts': 130, 'k': 'open', 'n': 1})
    until('counted', lambda: counted() == (21, 10))
    check(d.good('PUT', module, PAIR % ('second', 'z', 'two'))['rules']['pair'] == 'drained', 'drained')
    counted()
    d.events({'ts': 140, 'k': 'y', 'n': 1}, {'ts': 141, 'k': 'open', 'n': 2}, {'ts': 142, 'k': 'y', 'n': 2})
    until('both count', lambda: counted()[1] == 12)
    both = counted()
    d.events({'ts': 400, 'k': 'later', 'n': 1})
    until('drained', lambda: counted() and d.good('GET', '/v1/rules/pair')['draining'] == 0)
    until('all of it', lambda: counted() == (both[0] + 1, 12))
    check(d.good('GET', '/v1/rules/pair/stats')['alerts'] == 12, 'told alike')
    check(d.good('PUT', module + '?on_reload=fresh', PAIR % ('third', 'a', 'three'))['rules']['pair'] == 'fresh', 'fresh')
    check(counted() == (both[0] + 1, 12), 'from there on')
    d.events({'ts': 401, 'k': 'y', 'n': 1}, {'ts': 402, 'k': 'y', 'n': 2})
    until('and on', lambda: counted() == (both[0] + 3, 13))
    d.good('DELETE', module)
    check('rule="pair"' not in d.good('GET', '/metrics'), 'a rule that is gone')
    d.good('PUT', module, PAIR % ('third', 'a', 'three'))
    check('tocsin_rule_alerts_total{rule="pair"} 0' in d.good('GET', '/metrics'), 'begins anew')
    d.stop()


def part_sets():
    d = Daemon(rules={'mark.rule': MARK})
    rule = lambda name, n: f'rule {name} {{ match by k {{ a: ev where n == {n} }} }}\n'
    first = d.good('PUT', '/v1/modules', {'modules': {'a': rule('ra', 1), 'b': rule('rb', 2)}})
    check(first['rules'] == {'ra': 'added', 'rb': 'added', 'mark': 'unchanged'}, f'{first}')
    second = d.good('PUT', '/v1/modules', {'modules': {'b': rule('rb', 3), 'c': rule('rc', 4)}}, If_Match=first['etag'])
    check(second['rules'] == {'ra': 'removed', 'rb': 'kept', 'rc': 'added', 'mark': 'unchanged'}, f'{second}')
    check([(m['name'], m.get('version')) for m in d.good('GET', '/v1/modules')['modules']] ==
          [('b', 2), ('c', 1), ('mark.rule', None)], 'the set')
    check(not d.good('PUT', '/v1/modules', {'modules': {'b': rule('rb', 3), 'c': rule('rc', 4)}}, If_Match='"x"')['changed'],
          'the same set')
    d.bad(412, 'PUT', '/v1/modules', {'modules': {}}, If_Match=first['etag'])
    problem = d.bad(422, 'PUT', '/v1/modules', {'modules': {'b': rule('rb', 9), 'x': 'rule y {', 'z': 'rule w {'}})
    check({e['file'] for e in problem['diagnostics']} == {'x', 'z'}, 'all mistakes of all modules')
    check(d.good('GET', '/v1/modules/b')['version'] == 2, 'one mistake changes nothing')
    for body in ('', '{', '[]', '{}', '{"modules":[]}', '{"modules":{"a":1}}', '{"modules":{},"more":1}',
                 '{"modules":{"a":"x","a":"y"}}', '{"modules":{"..":"x"}}'):
        d.bad(400, 'PUT', '/v1/modules', body)
    d.bad(409, 'PUT', '/v1/modules', {'modules': {'mark.rule': 'x'}})
    check(d.good('PUT', '/v1/modules?dry_run=1', {'modules': {}})['rules'] ==
          {'mark': 'unchanged', 'rb': 'removed', 'rc': 'removed'}, 'a dry run of none')
    # check and test change nothing
    check(d.good('POST', '/v1/rules:check', rule('rd', 5))['rules']['rd'] == 'added', 'checked')
    check(d.good('POST', '/v1/rules:check?module=b', rule('rb', 5))['rules']['rb'] == 'kept', 'in place of one')
    check(d.good('POST', '/v1/rules:check', {'modules': {}})['rules']['rb'] == 'removed', 'a set')
    d.bad(422, 'POST', '/v1/rules:check', 'rule x {')
    tests = d.good('POST', '/v1/rules:test', PAIR % ('x', 'a', 'one'))
    check((tests['passed'], tests['failed']) == (1, 0) and tests['tests'][0]['file'] == 'posted', f'{tests}')
    tests = d.good('POST', '/v1/rules:test', (PAIR % ('x', 'a', 'one')).replace('expect 1', 'expect 2'))
    check(tests['failed'] == 1 and tests['tests'][0]['why'], f'{tests}')
    d.bad(422, 'POST', '/v1/rules:test', 'rule x {')
    d.good('PUT', '/v1/modules/p', PAIR % ('x', 'a', 'one'))
    check(d.good('POST', '/v1/rules:test')['passed'] == 1 and d.good('POST', '/v1/rules:test?module=b')['passed'] == 0,
          'those that run')
    d.bad(404, 'POST', '/v1/rules:test?module=none')
    # switched off and on, over a restart; a text that says otherwise
    check(d.good('POST', '/v1/rules/mark:disable')['rules']['mark'] == 'removed', 'disabled')
    check(not d.good('POST', '/v1/rules/mark:disable')['changed'], 'once more')
    d.kill()
    d.start()
    rules = {r['name']: r for r in d.good('GET', '/v1/rules')['rules']}
    check(not rules['mark']['enabled'] and rules['mark']['switched'] and rules['rb']['enabled'], 'outlives a kill')
    d.events({'ts': 100, 'k': 'm', 'n': 99}, {'ts': 101, 'k': 'x', 'n': 3})
    until('rb', lambda: [a for a in d.alerts() if a['rule'] == 'rb'])
    check(not [a for a in d.alerts() if a['rule'] == 'mark'], 'a disabled rule is silent')
    check(d.good('POST', '/v1/rules/mark:enable')['rules']['mark'] == 'added', 'enabled')
    check(not d.good('GET', '/v1/rules/mark')['switched'], 'as the text says')
    d.bad(404, 'POST', '/v1/rules/none:enable')
    # what does not run is told as its text says too: a rule that is disabled, and where each stands
    d.good('POST', '/v1/rules/mark:disable')
    d.good('PUT', '/v1/modules/off', rule('off', 6))
    d.good('POST', '/v1/rules/off:disable')
    changed = d.good('PUT', '/v1/modules/off', '# a line more\n' + rule('off', 6).replace('by k', 'by k, n'))
    check(changed['changed'], f'{changed}')
    off = d.good('GET', '/v1/rules/off')
    check((off['key'], off['line'], off['enabled']) == (['k', 'n'], 2, False), f'a disabled rule changes: {off}')
    d.good('PUT', '/v1/modules/b', '# moved\n# down\n' + rule('rb', 3))
    check(d.good('GET', '/v1/rules/rb')['line'] == 3, 'a rule moves down')
    d.good('DELETE', '/v1/modules/off')
    check('off' not in {r['name'] for r in d.good('GET', '/v1/rules')['rules']}, 'a disabled rule is taken away')
    d.bad(404, 'POST', '/v1/rules/off:enable')
    d.good('POST', '/v1/rules/mark:enable')
    # the rules directory
    d.write('rules/mark.rule', MARK + rule('more', 7))
    check(d.good('POST', '/v1/rules:reload?dry_run=1')['rules']['more'] == 'added', 'would be')
    check(d.good('POST', '/v1/rules:reload')['rules'].get('more') == 'added', 'reloaded')
    d.write('rules/mark.rule', '# a comment\n' + MARK + rule('more', 7))
    check(d.good('POST', '/v1/rules:reload')['changed'], 'a comment of a file')
    check('# a comment' in d.good('GET', '/v1/modules/mark.rule')['text'], 'is known')
    d.write('rules/broken.rule', 'rule {')
    d.bad(422, 'POST', '/v1/rules:reload')
    ready = d.good('GET', '/readyz')
    check([r['reason'] for r in ready['reasons']] == ['rules'], f'{ready}')
    check(d.ask('GET', '/readyz?strict=1')[0] == 503, 'strictly not ready')
    d.good('PUT', '/v1/modules/q', '# while files are broken, modules can be changed\n')
    os.remove(d.path('rules/broken.rule'))
    d.write('rules/b', '')
    d.good('POST', '/v1/rules:reload')
    check(d.good('GET', '/readyz?strict=1')['reasons'] == [], 'ready')
    # a name of the interface that becomes a file: refused, and nothing is lost
    d.good('PUT', '/v1/modules/side.rule', rule('side', 8))
    d.write('rules/side.rule', rule('side', 9))
    problem = d.bad(409, 'POST', '/v1/rules:reload')
    check('belongs to one side' in problem['detail'], f'{problem}')
    d.kill()
    d.start()
    check(d.good('GET', '/v1/modules/side.rule')['origin'] == 'api', 'the one that runs goes on')
    # explained
    check(d.good('GET', '/v1/rules/pair/explain')['rules'][0]['name'] == 'pair', 'explained')
    check('digraph' in d.good('GET', '/v1/rules/pair/explain?format=dot'), 'as a graph')
    d.bad(400, 'GET', '/v1/rules/pair/explain?format=png')
    d.bad(404, 'GET', '/v1/rules/none/explain')
    d.bad(404, 'GET', '/v1/rules/none')
    d.stop()


def part_race():
    """Two clients with one ETag: one of them gets 412."""
    d = Daemon()
    text = lambda n: f'rule r {{ match by k {{ a: ev where n == {n} }} }}\n'
    etag = d.good('PUT', '/v1/modules/r', text(0))['etag']
    for turn in range(10):
        got = [None, None]

        def put(i):
            got[i] = d.ask('PUT', '/v1/modules/r', text(1000 * turn + i + 1), If_Match=etag)
        threads = [threading.Thread(target=put, args=(i,)) for i in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check(sorted(g[0] for g in got) == [200, 412], f'{[g[0] for g in got]}')
        winner = 0 if got[0][0] == 200 else 1
        etag = got[winner][2]['etag']
        check(d.good('GET', '/v1/modules/r')['text'] == text(1000 * turn + winner + 1), 'the winner is there')
    # made once
    got = [d.ask('PUT', '/v1/modules/new', f'# {i}\n', If_None_Match='*')[0] for i in range(2)]
    check(got == [200, 412], f'{got}')
    check(d.ask('PUT', '/v1/modules/absent', '# x\n', If_Match='*')[0] == 412, 'not there')
    # many at once: all are answered, all changes are there
    threads, done = [], []
    for i in range(16):
        def put(i=i):
            done.append(d.ask('PUT', f'/v1/modules/m{i}', f'rule m{i} {{ match by k {{ a: ev where n == {i} }} }}\n')[0])
        threads.append(threading.Thread(target=put))
        threads[-1].start()
    for t in threads:
        t.join()
    check(done == [200] * 16, f'{done}')
    check(len([r for r in d.good('GET', '/v1/rules')['rules'] if r['name'].startswith('m')]) == 16, 'sixteen')
    d.stop()


def part_roles():
    """Each role against each route, and what is answered against the document."""
    secret = {role: f'secret-{role}' for role in ('read', 'rules', 'ingest', 'admin')}
    covers = {'open': {'open'}, 'read': {'open', 'read'}, 'rules': {'open', 'read', 'rules'},
              'ingest': {'open', 'ingest'}, 'admin': {'open', 'read', 'rules', 'ingest', 'admin'}}
    d = Daemon(rules={'mark.rule': MARK, 'owners.rule': 'table owners = file "owners.csv" key host\n',
                      'owners.csv': 'host,tier\na,1\n'},
               tokens=secret, source=FILES + 'source web { http {} time ts idle 1s }\n')
    rows = 'host,tier\nb,2\n'
    d.good('PUT', '/v1/tables/owners', rows + 'c,3\n', token=secret['rules'])
    d.good('PUT', '/v1/modules/x', '# first\n', token=secret['rules'])
    d.good('PUT', '/v1/modules/x', '# second\n', token=secret['rules'])
    api = d.good('GET', '/v1/openapi.json')
    asked = 0
    for path, methods in api['paths'].items():
        if path.endswith('/stream'):  # has no end: alerts.py
            continue
        target = path.replace('{name}', 'x' if path.startswith('/v1/modules') else 'web' if 'events' in path
                              else 'disk' if path.startswith('/v1/sinks')
                              else 'owners' if path.startswith('/v1/tables') else 'mark')
        target += '?key=x' if '/state/' in path else '?numbers=all' if 'letters:' in path else ''
        for method, route in methods.items():
            wanted = route['description'].split()[-1]
            body = {'modules': {'x': '# y\n'}} if path == '/v1/modules' \
                else rows if path.startswith('/v1/tables') and method == 'put' \
                else '{"host":"d"}\n' if path.startswith('/v1/tables') else PAIR % ('x', 'a', 'b') if 'rules:' in path \
                else '# z\n' if method == 'put' \
                else {'ts': 1, 'k': 'x'} if 'events' in path else None
            if 'requestBody' not in route:
                body = None
            for role in ('open', 'read', 'ingest', 'rules', 'admin'):
                status, headers, data = d.ask(method.upper(), target, body, token=secret.get(role))
                may = wanted in covers[role]
                want = {200} if may else {401} if role == 'open' else {403}
                if may and (method == 'delete' or path.endswith('rollback')) and role == 'admin':
                    want |= {404}  # role rules has taken it away
                if may and path == '/v1/sinks/{name}:enable':
                    want = {409}  # no webhook
                check(status in want, f'{method} {path} as {role}: {status} {data}')
                asked += 1
                answer = route['responses'].get(str(status), route['responses']['default'])
                kind = headers['Content-Type'].split(';')[0]
                if kind in answer['content'] and isinstance(data, (dict, list)):
                    fits(api, answer['content'][kind]['schema'], data, f'{method} {path}')
                elif not (kind == 'application/octet-stream' in answer['content'] or kind.startswith('text/') and any('text' in k for k in answer['content'])):
                    check(False, f'{method} {path} answers {kind}')
            if method == 'delete' and 'tables' in path:
                d.good('PUT', '/v1/tables/owners', rows, token=secret['rules'])
            elif method == 'delete':
                d.good('PUT', '/v1/modules/x', '# first\n', token=secret['rules'])
                d.good('PUT', '/v1/modules/x', '# second\n', token=secret['rules'])
            if path.endswith('/drain'):
                d.good('POST', '/v1/resume', token=secret['admin'])
            if path.endswith(':disable'):
                d.good('POST', '/v1/rules/mark:enable', token=secret['rules'])
    print(f'{asked} requests: each role on each route')
    check('reasons' not in d.good('GET', '/readyz') and 'reasons' in d.good('GET', '/readyz', token=secret['read']),
          'reasons for who may read')
    who = {e['who'] for e in d.good('GET', '/v1/audit', token=secret['admin'])['entries']}
    check(who == {'the-rules', 'the-admin'}, f'who changed: {who}')
    text = d.good('GET', '/metrics', token=secret['read'])
    check('tocsin_build_info{' in text and 'tocsin_rule_alerts_total{rule="mark"}' in text, 'metrics')
    status, headers, text = d.ask('GET', '/metrics', token=secret['read'], Accept='application/openmetrics-text')
    check(text.endswith('# EOF\n') and 'openmetrics' in headers['Content-Type'], 'OpenMetrics')
    # rotated by SIGHUP
    run = subprocess.run([TOCSIN, 'token', 'new', '--role', 'read', '--name', 'fresh'], capture_output=True, text=True)
    token, line = run.stdout.split('\n')[1], run.stdout.split('\n')[3]
    d.write('tokens', line + '\n')
    d.process.send_signal(signal.SIGHUP)
    until('the new token', lambda: d.ask('GET', '/v1/rules', token=token)[0] == 200)
    check(d.ask('GET', '/v1/rules', token=secret['admin'])[0] == 401, 'the old one')
    d.write('tokens', 'nonsense\n')
    d.process.send_signal(signal.SIGHUP)
    until('refused', lambda: 'stay as they were' in d.log())
    check(d.ask('GET', '/v1/rules', token=token)[0] == 200, 'it stays')
    check(not any(s in d.log() for s in [token, *secret.values()]), 'no token is in the log')
    d.stop()


def part_history():
    """Versions of a module, and of all together, are bounded; a module that is there keeps its newest."""
    d = Daemon(http='versions 5 versions_bytes 64KiB')
    text = lambda name, n: f'# {n}\n' + '#' + 'x' * 3000 + f'\nrule {name} {{ match by k {{ a: ev where n == {n} }} }}\n'
    numbers = lambda name: [v['version'] for v in d.good('GET', f'/v1/modules/{name}/versions')['versions']]
    kept = lambda: sum(len(numbers(f'm{n}')) for n in range(12) if d.ask('GET', f'/v1/modules/m{n}/versions')[0] == 200)
    d.good('PUT', '/v1/modules/old', text('old', 0))
    for n in range(8):
        d.good('PUT', '/v1/modules/m0', text('m0', n))
    check(numbers('m0') == [8, 7, 6, 5, 4], f'of one module: {numbers("m0")}')
    for name in range(1, 12):
        for n in range(3):
            d.good('PUT', f'/v1/modules/m{name}', text(f'm{name}', n))
        if name % 2:
            d.good('DELETE', f'/v1/modules/m{name}')
    until('the oldest go', lambda: kept() <= 22)
    check(numbers('old') == [1] and numbers('m0') == [8], 'the newest of what is there')
    check(d.ask('GET', '/v1/modules/m1/versions')[0] == 404, 'nothing is known of what is long gone')
    before = kept()
    d.stop()
    d.write('tocsin.conf', open(d.path('tocsin.conf')).read().replace('versions 5', 'versions 1'))
    d.start()
    check(kept() == before, 'after a restart')
    d.good('PUT', '/v1/modules/m11', text('m11', 9))
    until('one of each', lambda: numbers('m11') == [5])
    d.good('PUT', '/v1/modules/m1', text('m1', 1))
    d.stop()


def part_dry():
    """Checks, tests and dry runs take long, and others are answered meanwhile; also while the configuration
    changes under them, and when the daemon ends."""
    d = Daemon(rules={'mark.rule': MARK})
    many = ''.join(PAIR.replace('rule pair', f'rule p{n}') % (n, 'a', n) for n in range(400))
    got, meanwhile = [], [0]

    def ask(*question):
        got.append(d.ask(*question))
    thread = threading.Thread(target=ask, args=('POST', '/v1/rules:test', many))
    thread.start()
    while thread.is_alive():
        d.good('GET', '/v1/rules')
        meanwhile[0] += not got
    check(got[0][0] == 200 and got[0][2]['failed'] == 0 and got[0][2]['passed'] > 0, f'{got[0]}')
    check(meanwhile[0] > 0, 'nothing was answered while tests ran')
    # a dry run sees what was answered before
    conf = open(d.path('tocsin.conf')).read()
    stop, answers = threading.Event(), []

    def check_on():
        while not stop.is_set():
            for path in ('/v1/rules:check', '/v1/rules:test'):
                try:
                    answers.append(d.ask('POST', path, many[:4000].rsplit('#', 1)[0])[0])
                except (OSError, http.client.HTTPException):
                    answers.append(0)
    threads = [threading.Thread(target=check_on, daemon=True) for _ in range(3)]
    for t in threads:
        t.start()
    for n in range(6):
        d.write('tocsin.conf', conf + f'source more{n} {{ file "more*.ndjson" time ts idle 10ms }}\n')
        d.process.send_signal(signal.SIGHUP)
        until('another source', lambda: [s for s in d.good('GET', '/v1/sources')['sources'] if s['name'] == f'more{n}'])
        d.good('PUT', '/v1/modules/m', f'rule m{n} {{ match by k {{ a: ev where n == {n} }} }}\n')
        check(d.good('PUT', '/v1/modules/m?dry_run=1', '# none\n')['rules'] == {'mark': 'unchanged', f'm{n}': 'removed'},
              'a dry run behind a change')
    check(set(answers) <= {200, 503} and answers.count(200) > 10, f'{set(answers)}')
    d.stop()
    stop.set()
    for t in threads:
        t.join()
    check(set(answers) <= {200, 503, 0}, f'{set(answers)}')


def part_state():
    """What rules keep of a key; also of keys that are on disk alone, while rules change, and for many at once."""
    d = Daemon(rules={'r.rule': MARK + """
rule runs { match by k, h within 100s { a: ev where n == 1  b: ev where n == 2 and z > a.z  c: ev where n == 3 } }
rule sets { match by k within 100s { a: ev where n == 1  b: ev where n == 2  c: ev where n == 3 } }
rule tum { window tumbling 60s by k { a: ev having count() > 100 } emit { c = count() } }
rule ses { window session 60s by k { a: ev having count() > 100 } emit { c = count() } }
rule wait { match by k { a: ev where n == 5  not b: ev where n == 6 within 1h } }
rule held { match by k { a: ev where n == 7 } suppress 1h }
rule sli { window sliding 60s by k { a: ev having count() > 100 fire on every match } emit { c = count() } }
rule two { join by k within 50s { l: ev where n == 1  r: ev where n == 88 } }
rule nov { novel n by k within 1d { a: ev } }
rule every { match within 1h { a: ev where n == 1  b: ev where n == 77 } }
"""})
    event = {'ts': 100, 'k': 'x', 'n': 1, 'h': 7, 'z': 1}
    d.events(event, {'ts': 101, 'k': 'x', 'n': 2, 'h': 7, 'z': 2}, {'ts': 102, 'k': 'x', 'n': 5, 'h': 8},
             {'ts': 103, 'k': 's', 'n': 7}, {'ts': 104, 'k': 's', 'n': 7}, {'ts': 105, 'k': 'm', 'n': 99})
    until('read', lambda: [a for a in d.alerts() if a['rule'] == 'mark'])

    def state(rule, key=None):
        data = d.good('GET', f'/v1/state/{rule}' + (f'?key={q(key)}' if key else ''))
        check(data['rule'] == rule and len(data['states']) == 1, f'{data}')
        return data['states'][0]
    for rule, key in (('runs', '["x",7]'), ('runs', '{"h":7.0,"k":"x"}'), ('sets', '"x"'), ('sets', 'x'), ('sets', '["x"]'),
                      ('sets', '{"k":"x"}')):
        got = state(rule, key)
        run = got['runs'][0]
        check(got['frontier'] == '1970-01-01T00:01:45Z' and got['n_runs'] == 1 and run['at'] == ['b'] and
              run['next'] == ['c'] and run['start'] == '1970-01-01T00:01:40Z' and
              run['deadline'] == '1970-01-01T00:03:20Z' and [e['step'] for e in run['events']] == ['a', 'b'] and
              run['events'][0]['event'] == event, f'{rule}: {got}')
    count = [{'aggregate': 'count', 'value': 3}]
    check(state('tum', 'x')['panes'] == [{'start': '1970-01-01T00:01:00Z', 'events': 3, 'aggregates': count}], 'a window')
    check(state('ses', 'x')['sessions'][0]['aggregates'] == count, 'of a session')
    check(state('sli', 'x')['window']['aggregates'] == count, f'{state("sli", "x")}')
    check(state('two', 'x')['sides'] == [1, 0] and state('nov', 'x')['n_values'] == 3, 'a join, a novel')
    check(state('ses', 'x')['sessions'][0]['end'] == '1970-01-01T00:02:42Z', 'a session')
    check(state('wait', 'x')['runs'][0]['waiting'], 'complete but for its `not`')
    check(state('held', 's')['suppressed'] == {'last_alert': '1970-01-01T00:01:43Z', 'held': 1,
                                               'until': '1970-01-01T01:01:43Z'}, f'{state("held", "s")}')
    check(state('every')['n_runs'] == 1 and state('every', '{}')['n_runs'] == 1 and not state('runs', '["y",7]')['found'], 'no key, another key')
    for path in ('runs?key=x', 'runs?key=["x"]', 'runs?key={}', 'runs?key={"k":"x"}', 'sets?key={"a":1}',
                 'sets?key={"k":{}}', 'sets?key={"k":"x","h":7}', 'sets?key=[[1]]', 'every?key=x', 'every?key={"k":"x"}'):
        d.bad(400, 'GET', '/v1/state/' + path)
    d.bad(404, 'GET', '/v1/state/none')
    d.kill()
    d.start()
    check(state('sets', 'x')['runs'][0]['events'][0]['event'] == event, 'read back from disk')
    # drained: the old version beside the new one
    d.write('rules/r.rule', open(d.path('rules/r.rule')).read().replace('rule sets { match by k within 100s { a:',
                                                                       'rule sets { match by k within 100s { y:'))
    d.good('POST', '/v1/rules:reload')
    both = d.good('GET', '/v1/state/sets?key=x')['states']
    check(sorted((s['draining'], s['found']) for s in both) == [(False, False), (True, True)], f'{both}')
    # asked while rules change and while it stops: all are answered
    answers, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            try:
                answers.append(d.ask('GET', '/v1/state/sets?key=x')[0])
            except (OSError, http.client.HTTPException):
                answers.append(0)
    threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
    for t in threads:
        t.start()
    for n in range(12):
        d.good('PUT', '/v1/modules/n', f'rule n{n} {{ match by k {{ a: ev where n == {n} }} }}\n')
    check(set(answers) <= {200, 503} and answers.count(200) > 10, f'{len(answers)} answers: {set(answers)}')
    d.stop()
    stop.set()
    for t in threads:
        t.join()
    check(set(answers) <= {200, 503, 0}, f'{set(answers)}')


def part_trouble():
    """A daemon that does not start for a module; a database that cannot be written; TLS; IPv6."""
    d = Daemon(rules={'mark.rule': MARK})
    conf = open(d.path('tocsin.conf')).read()
    d.write('tocsin.conf', conf + 'sink extra { file "extra.ndjson" }\ndefault_to disk\n')
    d.stop()
    d.start()
    d.good('PUT', '/v1/modules/goes', 'rule goes { to extra  match by k { a: ev where n == 1 } }\n')
    d.good('PUT', '/v1/modules/stays', 'rule stays { match by k { a: ev where n == 1 } }\n')
    d.stop()
    d.write('tocsin.conf', conf)
    run = subprocess.run([TOCSIND, '-c', 'tocsin.conf'], cwd=d.dir, capture_output=True, text=True, timeout=60)
    check(run.returncode == 2 and 'rules/goes:1:16: error: unknown sink `extra`' in run.stderr and
          'tocsin state module' in run.stderr, f'it does not start: {run.stderr}')
    tool = lambda *words: subprocess.run([TOCSIN, 'state', 'module', *words], capture_output=True, text=True)
    check('goes  version 1  ' in tool('list', d.path('state')).stdout, 'listed')
    check(tool('get', d.path('state'), 'goes').stdout.startswith('rule goes'), 'its text')
    check(tool('drop', d.path('state'), 'mark.rule').returncode == 1, 'a file is not dropped')
    check(tool('drop', d.path('state'), 'goes').returncode == 0, 'dropped')
    d.start()
    check([m['name'] for m in d.good('GET', '/v1/modules')['modules']] == ['mark.rule', 'stays'], 'it starts')
    check([v['deleted'] for v in d.good('GET', '/v1/modules/goes/versions')['versions']] == [True, False], 'its versions')
    d.stop()

    if needs_failpoints('a database that fails'):
        d = Daemon(rules={'mark.rule': MARK}, TOCSIN_FAILPOINTS='store_write=error@12+')
        n = 0

        def unready():
            nonlocal n
            d.events({'ts': 100 + n, 'k': f'm{n}', 'n': 99})
            n += 1
            return 'checkpoint' in [r['reason'] for r in d.ask('GET', '/readyz')[2].get('reasons', [])]
        until('unready', unready)
        status, headers, _ = d.ask('PUT', '/v1/modules/x', 'rule x { match by k { a: ev where n == 1 } }\n')
        check(status == 503 and headers['Retry-After'], f'while nothing can be written: {status}')
        check(len(d.good('GET', '/v1/rules')['rules']) >= 1, 'what runs is told')
        d.kill()
        # the same, and then it can be written again
        d.env = {'TOCSIN_FAILPOINTS': 'store_write=error@12-20'}
        d.start()

        def written_again():
            nonlocal n
            d.events({'ts': 100 + n, 'k': f'm{n}', 'n': 99})
            n += 1
            return 'is written again' in d.log() and d.ask('GET', '/readyz')[0] == 200
        until('written again', written_again)
        d.good('PUT', '/v1/modules/x', 'rule x { match by k { a: ev where n == 1 } }\n')
        d.stop()

    work = directory()
    import ssl

    def make(name):
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                        '-days', '2', '-subj', f'/CN={name}', '-addext', 'subjectAltName=DNS:localhost', '-keyout',
                        f'{work}/key.pem', '-out', f'{work}/cert.pem'], check=True, stderr=subprocess.DEVNULL)

    def subject(d):
        context = ssl.create_default_context(cafile=f'{work}/cert.pem')
        try:
            c = http.client.HTTPSConnection('localhost', d.port, context=context, timeout=30)
            c.request('GET', '/v1/rules')
            check(c.getresponse().status == 200, 'over TLS')
            name = dict(x[0] for x in c.sock.getpeercert()['subject'])['commonName']
            c.close()
            return name
        except ssl.SSLCertVerificationError:
            return None
    make('first')
    d = Daemon(http=f'tls {{ certificate "{work}/cert.pem"  key "{work}/key.pem" }}', rules={'mark.rule': MARK})
    check(subject(d) == 'first', 'the first certificate')
    make('second')
    check(subject(d) is None, 'not yet')
    d.process.send_signal(signal.SIGHUP)
    until('the second certificate', lambda: subject(d) == 'second')
    d.stop()

    d = Daemon(rules={'mark.rule': MARK})
    d.stop()
    d.write('tocsin.conf', conf.replace('127.0.0.1:0', '[::1]:0'))
    process = subprocess.Popen([TOCSIND, '-c', 'tocsin.conf'], cwd=d.dir, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    found = re.search(r'address=\[::1\]:(\d+)', line)
    if found:
        c = http.client.HTTPConnection('::1', int(found[1]), timeout=60)
        while True:
            c.request('GET', '/v1/rules')
            answer = c.getresponse()
            answer.read()
            if answer.status == 200:
                break
            check(answer.status == 503, f'{answer.status} over IPv6')
            time.sleep(0.05)
        c.close()
    else:
        print('NOTE: no IPv6 here:', line.strip())
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    run_parts(PARTS, sys.argv[3:])
