#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP interface of the daemon.

    api.py TOCSIND TOCSIN [PART...]
"""
import http.client
import re
import signal
import ssl
import subprocess
import sys
import threading
import time

import modules
from http_daemon import (FILES, MARK, PAIR, TOCSIN, TOCSIND, Daemon, check, directory, fits, needs_failpoints, q, run_parts,
                         until)


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
    check(not any(token in d.log() for token in secret.values()), 'no token is in the log')
    d.stop()


def part_rotated():
    """SIGHUP reads tokens again; with a mistake in them nothing changes."""
    secret = {'admin': 'secret-admin'}
    d = Daemon(rules={'mark.rule': MARK}, tokens=secret)
    run = subprocess.run([TOCSIN, 'token', 'new', '--role', 'read', '--name', 'fresh'], capture_output=True, text=True)
    token, line = run.stdout.split('\n')[1], run.stdout.split('\n')[3]
    d.write('tokens', line + '\n')
    d.process.send_signal(signal.SIGHUP)
    until('the new token', lambda: d.ask('GET', '/v1/rules', token=token)[0] == 200)
    check(d.ask('GET', '/v1/rules', token=secret['admin'])[0] == 401, 'the old one')
    def metrics():
        return d.ask('GET', '/metrics', token=token)[2]
    until('that is a reload', lambda: 'tocsin_reloads_total{result="done"} 1' in metrics())
    d.write('tokens', 'nonsense\n')
    d.write('rules/more.rule', 'rule more { match { a: ev where k == 5 } }\n')
    d.process.send_signal(signal.SIGHUP)
    until('refused', lambda: 'line 1 of the tokens' in d.log())
    until('counted', lambda: 'tocsin_reloads_total{result="refused"} 1' in metrics())
    check('tocsin_reload_failing 1' in metrics(), 'and told')
    check(d.ask('GET', '/v1/rules', token=token)[0] == 200, 'it stays')
    check(d.ask('GET', '/v1/rules/more', token=token)[0] == 404, 'and so do the rules')
    d.write('tokens', line + '\n')
    d.process.send_signal(signal.SIGHUP)
    until('all is taken', lambda: d.ask('GET', '/v1/rules/more', token=token)[0] == 200)
    until('and is fine', lambda: 'tocsin_reload_failing 0' in metrics())
    check(not any(s in d.log() for s in [token, *secret.values()]), 'no token is in the log')
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


def part_unstartable():
    """A daemon that does not start for a module: what to do."""
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


def part_failing_database():
    """It cannot be written; then it can be written again."""
    if not needs_failpoints('a database that fails'):
        return
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


def part_tls():
    work = directory()

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


def part_ipv6():
    d = Daemon(rules={'mark.rule': MARK})
    d.stop()
    d.write('tocsin.conf', open(d.path('tocsin.conf')).read().replace('127.0.0.1:0', '[::1]:0'))
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


PARTS = {name[5:]: function for name, function in [*vars(modules).items(), *globals().items()] if name.startswith('part_')}
if __name__ == '__main__':
    run_parts(PARTS, sys.argv[3:])
