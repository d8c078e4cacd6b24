#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an operator does over HTTP: dead letters, sinks, checkpoints, savepoints, draining, state.

    operate.py TOCSIND TOCSIN [PART...]     without: all but those that take long
    operate.py TOCSIND TOCSIN long          those
"""
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import http_daemon
from hook import EACH, Hook, event, hook_daemon
from http_daemon import TOCSIN, Daemon, Mortal, check, directory, until



def numbers(d, path='/v1/dead_letters'):
    """All of them, in pages."""
    found, at = [], 0
    while True:
        page = d.good('GET', f'{path}{"&" if "?" in path else "?"}limit=3&numbers={at}-')
        found += [letter['number'] for letter in page['dead_letters']]
        if 'next' not in page:
            return found
        at = page['next']


def audit(d, what):
    return [e for e in d.good('GET', '/v1/audit')['entries'] if e['what'] == what]


def part_letters():
    tokens = {role: f'{role}-token' for role in ('read', 'rules', 'admin')}
    hook, d = hook_daemon('400', tokens=tokens, to='[hook, disk]')
    ask = {'token': 'admin-token'}
    all_of = lambda path='/v1/dead_letters': d.good('GET', path, token='read-token')['dead_letters']
    d.events(*(event(n) for n in range(5)))
    d.write('ev.ndjson', 'no json\n{"n": 7}\n', 'a')
    until('seven', lambda: len(all_of()) == 7)
    letters = all_of()
    check(sorted(l['number'] for l in letters) == [l['number'] for l in letters] == list(range(1, 8)), f'{letters}')
    hooks = [l for l in letters if l.get('sink') == 'hook']
    lines = [l for l in letters if 'origin' in l]
    check(len(hooks) == 5 and len(lines) == 2 and '400' in hooks[0]['reason'], f'{letters}')
    check(json.loads(lines[0]['text'])['event'] == 'no json' and lines[0]['origin'] == 'ev ev.ndjson', f'{lines}')
    check(sorted(json.loads(l['text'])['fields']['n'] for l in hooks) == list(range(5)), 'the alerts as they were to be sent')
    # the same as the tool says, once the daemon is not there
    check(all_of('/v1/sinks/hook/dead_letters') == hooks and all_of('/v1/sinks/disk/dead_letters') == [], 'of a sink')
    check(all_of('/v1/dead_letters?origin=ev') == lines and all_of('/v1/dead_letters?sink=hook') == hooks, 'filters')
    check(all_of('/v1/dead_letters?origin=e') == [] == all_of('/v1/dead_letters?origin=hook') and all_of('/v1/dead_letters?reason=400') == hooks, 'more filters')
    check([l['number'] for l in all_of('/v1/dead_letters?numbers=2-3')] == [2, 3], 'a range')
    check(all_of('/v1/dead_letters?numbers=77') == [], 'none is no mistake')
    page = d.good('GET', '/v1/dead_letters?limit=3', **ask)
    check(len(page['dead_letters']) == 3 and page['next'] == 4, f'a page: {page}')
    for path in ('/v1/dead_letters?numbers=x', '/v1/dead_letters?numbers=3-2', '/v1/dead_letters?numbers=-3'):
        d.bad(400, 'GET', path, **ask)
    d.bad(404, 'GET', '/v1/sinks/nope/dead_letters', **ask)
    for method, path in (('GET', '/v1/dead_letters?sink=hok'), ('POST', '/v1/dead_letters:replay?numbers=all&sink=hok'),
                         ('POST', '/v1/dead_letters:drop?numbers=all&sink=hok')):
        check('did you mean `hook`?' in d.bad(404, method, path, **ask)['detail'], f'a sink that is mistyped: {path}')
    # who may
    for role, path in (('read', '/v1/dead_letters:drop?numbers=all'), ('rules', '/v1/sinks/hook/dead_letters:replay?numbers=all')):
        d.bad(403, 'POST', path, token=f'{role}-token')
    # which
    d.bad(400, 'POST', '/v1/dead_letters:drop', **ask)
    d.bad(400, 'POST', '/v1/sinks/hook/dead_letters:replay', **ask)
    check('77' in d.bad(404, 'POST', '/v1/dead_letters:replay?numbers=77', **ask)['detail'], 'an unknown number')
    d.bad(404, 'POST', '/v1/sinks/nope/dead_letters:drop?numbers=all', **ask)
    d.bad(404, 'POST', f'/v1/sinks/disk/dead_letters:drop?numbers={hooks[0]["number"]}', **ask)
    check(len(all_of()) == 7, 'nothing was done')
    # those of sources stay
    hook.does('200')
    answer = d.good('POST', '/v1/dead_letters:replay?numbers=all', **ask)
    check(answer == {'changed': 5, 'left': {'no_sink': 2, 'not_configured': 0, 'at_bound': 0}}, f'{answer}')
    until('delivered', lambda: sorted(a['fields']['n'] for a in hook.got()) == list(range(5)))
    check(all_of() == lines, 'those that were put back are none any more')
    entry = [e for e in d.good('GET', '/v1/audit', **ask)['entries'] if e['what'] == 'replay dead letters'][0]
    check(entry['who'] == 'the-admin' and entry['before'] == 'all' and entry['result'] == 'changed=5 left=2', f'{entry}')
    answer = d.good('POST', f'/v1/dead_letters:drop?numbers={lines[0]["number"]}', **ask)
    check(answer['changed'] == 1 and all_of() == lines[1:], 'one is dropped')
    d.good('POST', '/v1/dead_letters:drop?origin=ev', **ask)
    check(all_of() == [], 'all are')
    check(d.good('POST', '/v1/dead_letters:drop?numbers=all', **ask)['changed'] == 0, 'none is left')
    # over a kill they stay as they are, and are not delivered twice
    d.kill()
    d.start()
    check(all_of() == [] and len(hook.got()) == 5, 'after a kill')
    d.stop()


def part_many():
    """Many of them: in pieces, while events flow; killed in the middle each is in one place."""
    hook, d = hook_daemon('400', kind=Mortal)
    n = 6000
    d.events(*(event(k) for k in range(n)))
    until('all are dead letters', lambda: d.good('GET', f'/v1/dead_letters?numbers={n}')['dead_letters'])
    hook.does('503')
    if http_daemon.needs_failpoints('a kill between two pieces of dead letters'):
        left = 0
        for at in range(4, 60):  # how much is written before it is asked depends on the time that it takes
            d.kill()
            d.env = {'TOCSIN_FAILPOINTS': f'store_write=kill@{at}'}
            d.start()
            d.tried('POST', '/v1/dead_letters:replay?numbers=all')
            d.died()
            d.env = {}
            d.start()
            left = d.good('GET', '/v1/dead_letters?limit=1')['dead_letters'][0]['number'] - 1
            if left > 0:
                break
        check(0 < left < n, f'a part was done: {left}')
        waiting = [s['waiting'] for s in d.good('GET', '/v1/sinks')['sinks'] if s['name'] == 'hook'][0]
        check(waiting == left, f'{waiting} wait, {left} are gone')
        entry = audit(d, 'replay dead letters')[0]
        check(entry['result'] == f'changed={left} left=0 so far', f'{entry}')
    answer = d.good('POST', '/v1/dead_letters:replay?numbers=all')
    check(answer['changed'] > 0 and answer['left']['at_bound'] == 0, f'{answer}')
    check(d.good('GET', '/v1/dead_letters')['dead_letters'] == [], 'none is left')
    hook.does('200')
    until('each is delivered', lambda: len(hook.got()) >= n)
    check(sorted(a['fields']['n'] for a in hook.got()) == list(range(n)), 'each once')
    d.stop()


def part_bound():
    """A queue at its bound takes no more of them, and that is said."""
    hook, d = hook_daemon('400')
    d.stop()
    conf = open(d.path('tocsin.conf')).read()
    d.write('tocsin.conf', conf.replace('sink hook { ', 'sink hook { queue_count 3'))
    d.start()
    d.events(*(event(k) for k in range(2)))
    until('two', lambda: len(numbers(d)) == 2)
    d.events(*(event(k) for k in range(2, 4)))
    until('four', lambda: len(numbers(d)) == 4)
    d.events(event(9))
    until('five', lambda: len(numbers(d)) == 5)
    hook.does('503')
    answer = d.good('POST', '/v1/sinks/hook/dead_letters:replay?numbers=all')
    check(answer['changed'] == 3 and answer['left'] == {'no_sink': 0, 'not_configured': 0, 'at_bound': 2}, f'{answer}')
    # a sink that is configured no more
    d.stop()
    d.write('tocsin.conf', conf.replace('default_to hook', 'default_to disk').replace(hook.sink(), ''))
    d.start()
    answer = d.good('POST', '/v1/dead_letters:replay?sink=hook')
    check(answer['changed'] == 0 and answer['left']['not_configured'] == 2, f'{answer}')
    check(d.bad(404, 'POST', '/v1/sinks/hook/dead_letters:drop?numbers=all')['detail'].endswith('/v1/dead_letters?sink='), 'where they are')
    check(d.good('POST', '/v1/dead_letters:drop?sink=hook')['changed'] == 2, 'dropped')
    d.stop()


def part_tool():
    """`tocsin state dead-letters` says what it does not find."""
    hook, d = hook_daemon('400', to='[hook, disk]')
    d.events(event(1))
    until('one', lambda: len(numbers(d)) == 1)
    said = d.good('GET', '/v1/dead_letters')['dead_letters']
    d.stop()

    def tool(*words):
        run = subprocess.run([TOCSIN, 'state', 'dead-letters', *words], capture_output=True, text=True)
        return run.returncode, run.stdout, run.stderr
    state = d.path('state')
    code, out, _ = tool('list', state)
    check(code == 0 and [json.loads(line) for line in out.splitlines()] == said, f'the same as over HTTP: {out}')
    for words, message in ((('replay', state, '77'), 'there is no such dead letter: 77'),
                           (('drop', state, '5-9'), 'there is no such dead letter: 5-9'),
                           (('list', state, '77'), 'there is no such dead letter: 77'),
                           (('list', '--sink', 'nope', state), 'there is no sink `nope`'),
                           (('replay', '--sink', 'nope', state, 'all'), 'there is no sink `nope`')):
        code, out, err = tool(*words)
        check(code != 0 and message in err and out == '', f'{words}: {code} {out}{err}')
    for words in (('list', '--sink', 'disk', state), ('list', '--reason', 'nothing', state), ('drop', '--sink', 'disk', state, 'all')):
        check(tool(*words)[0] == 0, f'{words}')
    check(tool('replay', state, '1')[0] == 0 and tool('list', state) == (0, '', ''), 'replayed')


def part_enable():
    hook, d = hook_daemon('410')
    check(d.good('POST', '/v1/sinks/hook:enable') == {'name': 'hook', 'changed': False}, 'not disabled')
    d.bad(404, 'POST', '/v1/sinks/nope:enable')
    d.bad(409, 'POST', '/v1/sinks/disk:enable')
    d.events(event(1))
    gone = lambda: [r for r in d.ask('GET', '/readyz')[2]['reasons'] if r['reason'] == 'sink_gone']
    until('gone', gone)
    d.events(event(2))
    until('both', lambda: len(numbers(d)) == 2)
    hook.does('200')
    check(d.good('POST', '/v1/sinks/hook:enable') == {'name': 'hook', 'changed': True}, 'enabled')
    d.kill()  # it was durable
    d.start()
    check(not gone() and len(audit(d, 'enable sink')) == 1, 'it stays enabled')
    d.events(event(3))
    until('asked again', lambda: [a['fields']['n'] for a in hook.got()] == [3])
    check(d.good('POST', '/v1/sinks/hook/dead_letters:replay?numbers=all')['changed'] == 2, 'what was lost meanwhile')
    until('all', lambda: sorted(a['fields']['n'] for a in hook.got()) == [1, 2, 3])
    d.stop()


def part_checkpoint():
    """What was read before is durable when it is answered."""
    d = Daemon(rules={'pair.rule': 'rule pair { match by k within 1h { a: ev where n == 1  b: ev where n == 2 } }\n'},
               engine='checkpoint 1h')
    began = d.good('POST', '/v1/checkpoints')
    check(began['number'] > 0 and began['bytes'] > 0, f'{began}')
    d.events(event(1))
    until('read', lambda: d.good('GET', '/v1/rules/pair/stats')['runs'] == 1)
    made = d.good('POST', '/v1/checkpoints')
    check(made['number'] > began['number'] and made['time'] >= began['time'] and made['seconds'] < 60, f'{made}')
    os.rename(d.path('ev.ndjson'), d.path('away'))  # it is not read again
    d.kill()
    d.write('ev.ndjson', '')
    d.start()
    until('the run is there', lambda: d.good('GET', '/v1/rules/pair/stats').get('runs') == 1)
    check(len(audit(d, 'checkpoint')) == 2, 'who made them')
    # while rules are changed, many at once
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(d.ask('POST', '/v1/checkpoints')[0])) for _ in range(20)]
    for n, thread in enumerate(threads):
        thread.start()
        if n % 5 == 0:
            d.good('PUT', '/v1/modules/more', f'rule more {{ match by k {{ a: ev where n == {n} }} }}')
    for thread in threads:
        thread.join()
    check(answers == [200] * 20, f'{answers}')
    d.stop()


PAIR = 'rule pair { match by k within 1h { a: ev where n == 1  b: ev where n == 6 } }\n'


def reasons(d):
    status, _, data = d.ask('GET', '/readyz')
    return status, [r['reason'] for r in data['reasons']]


def figure(d, path, name, key):
    return [x for x in d.good('GET', path)[path.rsplit('/', 1)[1]] if x['name'] == name][0].get(key)


SEEN = 'rule seen { match by n { a: web where n >= 0 } emit { n = a.n } }\n'


def told(d, rule):
    return sorted(a['fields']['n'] for a in d.alerts() if a['rule'] == rule)


def part_drain():
    """Nothing is taken in, nothing decided; what waits is delivered; a copy goes on elsewhere."""
    hook = Hook('503')
    source = http_daemon.FILES + 'source web { http {} time ts lateness 0s idle 1s }\n' + hook.sink('') + 'default_to [hook, disk]\n'
    d = Daemon(rules={'each.rule': EACH, 'pair.rule': PAIR, 'seen.rule': SEEN}, source=source, engine='checkpoint 1h')
    check(d.good('POST', '/v1/resume') == {'changed': False}, 'it was not drained')
    d.events(*(event(n) for n in range(5)))
    d.good('POST', '/v1/events/web', ''.join(json.dumps(event(n)) + '\n' for n in range(3)))
    until('found', lambda: told(d, 'each') == list(range(5)) and told(d, 'seen') == list(range(3)))
    answer = d.good('POST', '/v1/drain?within=1')
    size = os.path.getsize(d.path('ev.ndjson'))
    sinks = {s['name']: s['waiting'] for s in answer['sinks']}
    check(not answer['delivered'] and sinks == {'hook': 8, 'disk': 0} and answer['seconds'] >= 1, f'{answer}')
    sources = {s['name']: s for s in answer['sources']}
    check(sources['ev']['partitions'] == [{'partition': 'ev.ndjson', 'generation': 0, 'read': size, 'resume': size}] and
          sources['web']['n_partitions'] == 1, f'{sources}')
    check(reasons(d) == (503, ['sink_failing', 'drained']) or reasons(d) == (503, ['drained', 'sink_failing']), f'{reasons(d)}')
    # nothing is taken in, and nothing that is open is decided
    check('drained' in d.bad(503, 'POST', '/v1/events/web', json.dumps(event(3)))['detail'], 'posts are refused')
    d.events(event(5), event(6), event(7))
    state = d.good('GET', '/v1/state/pair?key=k1')['states'][0]
    check(state['found'] and state['n_runs'] == 1, f'{state}')
    # rules and configuration may change
    d.good('PUT', '/v1/modules/more', 'rule more { match by n { a: ev where n == 7 } emit { n = a.n } }')
    conf = open(d.path('tocsin.conf')).read()
    d.write('tocsin.conf', conf.replace('lateness 0s idle 1s', 'lateness 1s idle 1s') + 'source other { stdin {} time arrival }\n')
    d.process.send_signal(signal.SIGHUP)
    until('reloaded', lambda: 'other' in [s['name'] for s in d.good('GET', '/v1/sources')['sources']])
    time.sleep(0.3)
    check(told(d, 'each') == list(range(5)) and 'drained' in reasons(d)[1], 'it stays drained')
    check(figure(d, '/v1/sources', 'ev', 'lines') == 5, 'nothing was read')
    hook.does('200')
    answer = d.good('POST', '/v1/drain?within=60')
    check(answer['delivered'] and all(s['waiting'] == 0 for s in answer['sinks']), f'{answer}')
    # elsewhere, after a kill
    d.kill()
    check(sorted(a['fields']['n'] for a in hook.got()) == [0, 0, 1, 1, 2, 2, 3, 4], 'each was delivered')
    elsewhere = directory()
    subprocess.run(['cp', '-a', d.dir + '/.', elsewhere], check=True)
    shutil.rmtree(d.dir)
    os.symlink(elsewhere, d.dir)
    d.start()
    until('it goes on', lambda: told(d, 'each') == list(range(8)) and told(d, 'more') == [7] and
          len([a for a in d.alerts() if a['rule'] == 'pair']) == 1)
    d.good('POST', '/v1/events/web', json.dumps(event(3)))
    until('posts, too', lambda: told(d, 'seen') == [0, 1, 2, 3])
    # drained and resumed
    check(d.good('POST', '/v1/drain')['delivered'], 'drained again')
    d.events(event(8))
    check(d.good('POST', '/v1/resume') == {'changed': True} and reasons(d)[0] == 200, 'resumed')
    d.good('POST', '/v1/events/web', json.dumps(event(4)))
    until('on and on', lambda: told(d, 'each') == list(range(9)) and told(d, 'seen') == [0, 1, 2, 3, 4])
    what = [e['what'] for e in d.good('GET', '/v1/audit')['entries']]
    check(what == ['resume', 'drain', 'drain', 'put module', 'drain'], f'{what}')
    check(d.good('POST', '/v1/drain')['drained'], 'once more')
    d.stop()  # while it is drained
    until('the hook', lambda: len(hook.got()) == 9 + 5 + 2)
    check(len(d.alerts()) == 9 + 5 + 2, 'nothing is lost or doubled')


def part_drain_kill():
    """Killed at each step of draining: each alert is told once."""
    if not http_daemon.needs_failpoints('kills at each step of draining'):
        return
    d = Daemon(rules={'each.rule': EACH, 'pair.rule': PAIR})
    n = 0
    for step in ('drain_begun', 'drain_settled', 'drain_delivered', 'epoch_closed', 'epoch_written', 'ack_taken'):
        d.kill()
        d.env = {'TOCSIN_FAILPOINTS': f'{step}=kill'}
        d.start()
        d.events(*(event(k) for k in range(n, n + 50)))
        n += 50
        try:
            d.ask('POST', '/v1/drain?within=20')
        except OSError:
            pass
        check(d.process.wait(60) == -9, f'it died at {step}')
        d.env = {}
        d.start()
        until(f'all, after {step}', lambda: len(d.alerts()) >= n + 1)
        check(told(d, 'each') == list(range(n)), f'each once after {step}')
    d.stop()


def part_drain_input():
    """Standard input is not read while it is drained, and nothing of it is lost."""
    work = directory()
    os.mkdir(os.path.join(work, 'rules'))
    open(os.path.join(work, 'rules/each.rule'), 'w').write(EACH)
    open(os.path.join(work, 'tocsin.conf'), 'w').write(
        'engine { rules "rules" state "state" }\nsource ev { stdin {} time ts }\nsink disk { file "alerts.ndjson" }\nhttp { listen "127.0.0.1:0" }\n')
    d = Daemon.__new__(Daemon)
    d.dir = http_daemon.work = work
    log = open(d.path('log'), 'w')
    d.process = subprocess.Popen([http_daemon.TOCSIND, '-c', 'tocsin.conf'], cwd=work, stdin=subprocess.PIPE, stderr=log, stdout=log)
    http_daemon.running.append(d.process)
    d.port = int(until('ready', lambda: 'msg="ready"' in d.log() and re.search(r'address=127.0.0.1:(\d+)', d.log()))[1])

    def feed(*ns):
        d.process.stdin.write(''.join(json.dumps(event(n)) + '\n' for n in ns).encode())
        d.process.stdin.flush()
    feed(0, 1)
    until('two', lambda: told(d, 'each') == [0, 1])
    d.good('POST', '/v1/drain')
    feed(2, 3)
    time.sleep(0.5)
    check(d.process.poll() is None and told(d, 'each') == [0, 1], 'nothing is read')
    d.good('POST', '/v1/resume')
    until('four', lambda: told(d, 'each') == [0, 1, 2, 3])
    d.good('POST', '/v1/drain')
    feed(4)
    d.process.stdin.close()  # its end is not seen
    time.sleep(0.3)
    check(d.process.poll() is None, 'it stays')
    d.good('POST', '/v1/resume')
    check(d.process.wait(60) == 0 and told(d, 'each') == list(range(5)), 'to the end')


MANY = '''rule count { window tumbling 10s by k { e: ev having count() >= 3 } emit { n = count() } }
rule chain { match by k within 60s { a: ev where n % 3 == 0  b: ev where n % 3 == 1  c: ev where n % 3 == 2 } emit { n = c.n } }
rule first { novel hundred by k within 1h { e: ev } emit { n = e.n } }
'''


def tool(*words):
    run = subprocess.run([TOCSIN, *words], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def ask_savepoint(d, path):
    status, headers, data = d.ask('POST', '/v1/checkpoints:export')
    check(status == 200 and headers['Content-Type'] == 'application/octet-stream', f'{status} {data}')
    with open(path, 'wb') as f:
        f.write(data)
    return len(data)


def identity(alert):
    return alert['rule'], alert['id'], alert.get('revision', 0)


def part_export():
    """A savepoint of a daemon that goes on: what is started from it tells the rest as if unbroken."""
    d = Daemon(rules={'many.rule': MANY, 'each.rule': EACH}, engine='checkpoint 50ms')
    n = 3000
    ended = threading.Event()

    def feed():
        for k in range(0, n, 20):
            d.events(*({'ts': 1000 + j / 7, 'n': j, 'k': f'k{j % 11}', 'hundred': j // 100} for j in range(k, k + 20)))
            time.sleep(0.005)
        ended.set()
    feeder = threading.Thread(target=feed)
    feeder.start()
    points = []
    while not ended.is_set() and len(points) < 4:
        path = d.path(f'savepoint{len(points)}')
        ask_savepoint(d, path)
        points.append((path, open(d.path('alerts.ndjson')).read().count('\n')))
        time.sleep(0.1)
    feeder.join()
    until('all is told', lambda: told(d, 'each') == list(range(n)))
    d.good('POST', '/v1/drain')
    want = [identity(a) for a in d.alerts()]
    for path, seen in points:
        other = Daemon.__new__(Daemon)
        other.dir, other.env = directory(), {}
        http_daemon.work = other.dir
        os.mkdir(other.path('rules'))
        for name in ('tocsin.conf', 'rules/many.rule', 'rules/each.rule'):
            shutil.copy(d.path(name), other.path(name))
        os.link(d.path('ev.ndjson'), other.path('ev.ndjson'))  # the same file: as after a move of the directory
        code, said = tool('state', 'import', other.path('state'), path)
        check(code == 0, said)
        check(tool('state', 'verify', other.path('state'))[0] == 0, 'it is whole')
        other.start()
        rest = set(want[seen:])
        until('the rest', lambda: len(rest - {identity(a) for a in other.alerts()}) == 0)
        other.good('POST', '/v1/drain')
        got = [identity(a) for a in other.alerts()]
        check(len(set(got)) == len(got) and set(got) <= set(want), f'nothing is doubled, and nothing else, from {seen} on')
        check(set(want[:seen]) | set(got) == set(want), 'nothing is lost')
        other.stop()
    check(points[0][1] < points[-1][1], f'{[p[1] for p in points]}')
    check(len(audit(d, 'export')) == len(points), 'who took them')
    # one that is not whole
    path = points[0][0]
    with open(path, 'rb') as f:
        data = f.read()
    for cut in (len(data) // 2, len(data) - 1, 10):
        with open(path, 'wb') as f:
            f.write(data[:cut])
        code, said = tool('state', 'import', d.path(f'part{cut}'), path)
        check(code != 0 and 'ends too early' in said, f'{cut}: {said}')
    d.stop()


def part_export_slow():
    """One at a time; a client that takes its time holds nobody up; a kill leaves nothing behind."""
    d = Daemon(rules={'wide.rule': 'rule wide { match by k within 1h { a: ev where n >= 0  b: ev where n < 0 } }\n'},
               http='request_timeout 3s', engine='checkpoint 100ms')
    pad = 'x' * 2000
    for k in range(0, 12000, 1000):
        d.events(*({'ts': 1000, 'n': j, 'k': f'k{j}', 'pad': pad} for j in range(k, k + 1000)))
    until('read', lambda: d.good('GET', '/v1/rules/wide/stats')['runs'] == 12000)
    conn = http.client.HTTPConnection('127.0.0.1', d.port, timeout=60)
    conn.request('POST', '/v1/checkpoints:export')
    answer = conn.getresponse()
    check(answer.status == 200, f'{answer.status}')
    size, got = int(answer.getheader('Content-Length')), b''
    check(size > 20 << 20, f'{size} bytes')
    left = subprocess.run(['find', d.path('state'), '-name', '*savepoint*'], capture_output=True, text=True).stdout
    check(left == '', f'it has no name: {left}')
    while len(got) < size:  # over longer than a request may last
        part = answer.read(4 << 20)
        check(part, 'it is not cut off')
        got += part
        time.sleep(0.8)
        d.good('GET', '/v1/rules')
    with open(d.path('savepoint'), 'wb') as f:
        f.write(got)
    code, said = tool('state', 'import', d.path('other'), d.path('savepoint'))
    check(code == 0, said)
    # several at once: at least one is refused or all come after the other
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(d.ask('POST', '/v1/checkpoints:export')[0])) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    check(set(answers) <= {200, 409} and 200 in answers, f'{answers}')
    # a stop while one is written, and one while it is taken
    def quietly():
        try:
            d.ask('POST', '/v1/checkpoints:export')
        except (OSError, http.client.HTTPException):
            pass
    thread = threading.Thread(target=quietly)
    thread.start()
    time.sleep(0.05)
    d.stop()
    thread.join()
    if http_daemon.needs_failpoints('a write that fails while a checkpoint is exported'):  # a write fails meanwhile: it gives up, and the daemon does not
        d.env = {'TOCSIN_FAILPOINTS': 'store_write=error@3-5'}
        d.start()
        statuses = []

        def export():
            d.events({'ts': 1001 + len(statuses), 'n': len(statuses), 'k': f'k{len(statuses)}'})
            statuses.append(d.ask('POST', '/v1/checkpoints:export')[0])
            check(statuses[-1] in (200, 503, 409), f'{statuses}')
            return len(statuses) >= 12 and statuses[-1] == 200
        until('it is written again', export)
    d.stop()


def part_state():
    """What waits in a join, what novel has seen, in pages; the largest keys."""
    rules = '''rule both { join by k within 1h { a: ev where n % 2 == 0  b: ev where n % 2 == 1 and n > 1000000 } }
rule fresh { novel n, k by k within 1h { e: ev } }
rule longer { match by k within 1h { a: ev where n >= 0  b: ev where n < 0 } }
rule alone { novel k within 1h { e: ev } }
rule panes { window hopping 10s every 1s by k { e: ev having count() > 100000 } }
'''
    d = Daemon(rules={'some.rule': rules})
    events = [{'ts': 1000 + n / 10, 'n': n, 'k': f'k{n % 7}' if n < 700 else 'big'} for n in range(1000)]
    d.events(*events)
    until('read', lambda: d.good('GET', '/v1/rules/fresh/stats').get('keys') == 8 and
          d.good('GET', '/v1/rules/longer/stats').get('runs') == 1000)

    def pages(path, member, limit):
        found, at = [], 0
        while True:
            state = d.good('GET', f'{path}&limit={limit}&from={at}')['states'][0]
            check(len(state[member]) <= limit, f'{state}')
            found += state[member]
            if 'next' not in state:
                return state, found
            at = state['next']
    state, waiting = pages('/v1/state/both?key=k3', 'waiting', 7)
    mine = [e for e in events if e['k'] == 'k3' and e['n'] % 2 == 0]
    check([w['event'] for w in waiting] == mine and state['sides'] == [len(mine), 0], f'{waiting[:2]}')
    check(waiting[0]['step'] == 'a' and waiting[0]['paired'] is False and waiting[0]['deadline'] > waiting[0]['time'] and
          waiting[0]['offset'] == len(''.join(json.dumps(e) + '\n' for e in events[:events.index(mine[0])])), f'{waiting[0]}')
    state, seen = pages('/v1/state/fresh?key=big', 'seen', 100)
    check([s['values'] for s in seen] == [[n, 'big'] for n in range(999, 699, -1)] and state['n_values'] == 300, f'{seen[:3]}')
    check(seen[0]['last'].startswith('1970-01-01T00:18:19.9') and state['since'].startswith('1970-01-01T00:17:50'), f'{seen[0]} {state["since"]}')
    state, runs = pages('/v1/state/longer?key=big', 'runs', 60)
    check(len(runs) == 300 == state['n_runs'] and runs[0]['events'][0]['event'] == events[700], 'runs')
    state, panes = pages('/v1/state/panes?key=big', 'panes', 3)
    check(len(panes) >= 9 and sorted(p['start'] for p in panes) == [p['start'] for p in panes], f'{panes}')
    check(d.good('GET', '/v1/state/alone')['states'][0]['n_values'] == 8, 'a rule without a key')
    # the largest
    top = d.good('GET', '/v1/state/longer')
    check(top['keys'] == 8 and top['in_memory']['keys'] == 8 and top['in_memory']['bytes'] <= top['bytes'], f'{top}')
    check(top['largest'][0]['key'] == {'k': 'big'} and top['largest'][0]['bytes'] > 2 * top['largest'][1]['bytes'], f'{top}')
    check({k['key']['k'] for k in top['largest']} == {f'k{n}' for n in range(7)} | {'big'}, f'{top}')
    check([k['bytes'] for k in top['largest']] == sorted((k['bytes'] for k in top['largest']), reverse=True), 'in order')
    top = d.good('GET', '/v1/state/longer?limit=2')
    check(len(top['largest']) == 2 and top['largest'][0]['key'] == {'k': 'big'}, f'{top}')
    d.bad(404, 'GET', '/v1/state/nope')
    # after a start they are on disk alone, until they are wanted
    d.stop()
    d.start()
    top = d.good('GET', '/v1/state/longer')
    check(top['keys'] == 8 and top['in_memory']['keys'] == 0 and top['largest'] == [], f'{top}')
    check(d.good('GET', '/v1/state/longer?key=big&limit=5')['states'][0]['n_runs'] == 300, 'one is loaded')
    top = d.good('GET', '/v1/state/longer')
    check(top['in_memory']['keys'] == 1 and [k['key'] for k in top['largest']] == [{'k': 'big'}], f'{top}')
    d.stop()


def part_state_many():
    """The largest of very many keys, while events come."""
    d = Daemon(rules={'many.rule': 'rule many { match by k within 10h { a: ev where n >= 0  b: ev where n < 0 } }\n'})
    n = 30000
    d.events(*({'ts': 1000, 'n': j, 'k': f'k{j}'} for j in range(n)), *({'ts': 1001, 'n': j, 'k': 'top'} for j in range(50)))
    until('read', lambda: d.good('GET', '/v1/rules/many/stats').get('runs') == n + 50)
    stop = threading.Event()

    def feed():
        j = 0
        while not stop.is_set():
            d.events(*({'ts': 1002, 'n': j, 'k': f'new{j + i}'} for i in range(50)))
            j += 50
    feeder = threading.Thread(target=feed)
    feeder.start()
    for _ in range(10):
        top = d.good('GET', '/v1/state/many?limit=3')
        check(top['largest'][0]['key'] == {'k': 'top'} and top['in_memory']['keys'] >= n, f'{top}')
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(d.ask('GET', '/v1/state/many')[0])) for _ in range(10)]
    [t.start() for t in threads]
    d.good('PUT', '/v1/modules/other', 'rule o { match by k { a: ev where n == -1 } }')  # those under way are told to ask again
    [t.join() for t in threads]
    check(set(answers) <= {200, 503}, f'{answers}')
    stop.set()
    feeder.join()
    d.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
LONG = ('many', 'drain_kill', 'export', 'export_slow', 'state_many')
if __name__ == '__main__':
    parts = sys.argv[3:] or [part for part in PARTS if part not in LONG]
    http_daemon.run_parts(PARTS, LONG if parts == ['long'] else parts)
