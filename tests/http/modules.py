# SPDX-License-Identifier: Apache-2.0
"""Modules of rules over HTTP, for api.py: one, sets of them, clients that meet, versions, counters, the rules
directory."""
import json
import os
import re
import threading

from http_daemon import MARK, PAIR, Daemon, check, q, until


def put_and_read(d, module):
    """Made, read, the same again, a comment, mistakes."""
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


def change_shape(d, module):
    """What would become of state, and what does."""
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


def look_at_versions(d, module):
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


def refuse_names(d):
    """Of the other side, and what is no name or no text."""
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


def list_files(d):
    """Of the rules directory alone."""
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


def outlive(d, module):
    """Away, and back with the next number; all of it outlives a restart, and a kill."""
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


def part_modules():
    d = Daemon(rules={'base/mark.rule': MARK})
    module = '/v1/modules/' + q('team/pair')
    check([m['name'] for m in d.good('GET', '/v1/modules')['modules']] == ['base/mark.rule'], 'the file')
    put_and_read(d, module)
    change_shape(d, module)
    look_at_versions(d, module)
    refuse_names(d)
    list_files(d)
    outlive(d, module)
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


def rule(name, n):
    return f'rule {name} {{ match by k {{ a: ev where n == {n} }} }}\n'


def put_sets(d):
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


def check_and_test(d):
    """Neither changes anything."""
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


def switch(d):
    """Off and on, over a restart; a text that says otherwise."""
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


def reload_directory(d):
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


def explain(d):
    check(d.good('GET', '/v1/rules/pair/explain')['rules'][0]['name'] == 'pair', 'explained')
    check('digraph' in d.good('GET', '/v1/rules/pair/explain?format=dot'), 'as a graph')
    d.bad(400, 'GET', '/v1/rules/pair/explain?format=png')
    d.bad(404, 'GET', '/v1/rules/none/explain')
    d.bad(404, 'GET', '/v1/rules/none')


def part_sets():
    d = Daemon(rules={'mark.rule': MARK})
    put_sets(d)
    check_and_test(d)
    switch(d)
    reload_directory(d)
    explain(d)
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
