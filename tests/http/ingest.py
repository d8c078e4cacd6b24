#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events over HTTP: what is answered, and that what was accepted is there after kill -9.

    ingest.py TOCSIND TOCSIN [PART...]
    ingest.py TOCSIND TOCSIN numbers      how fast, durable, with 1 and 8 clients
"""
import gzip
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import http_daemon
from http_daemon import TOCSIN, Daemon, Mortal, check, until

WEB = 'source web { http {} time ts lateness 0s idle 1s quiet hold %s }\n'
EACH = 'rule each { match by id { a: web where n >= 0 } emit { n = a.n } }\n'
PAIR = 'rule pair { match by k within 100s { a: web where n % 7 == 1  b: web where n % 7 == 2 } emit { n = b.n } }\n'
NDJSON = {'Content_Type': 'application/x-ndjson'}


def event(n):
    return {'ts': 1000 + n, 'id': f'e{n}', 'n': n, 'k': f'k{n % 5}'}


def lines(*events):
    return ''.join(json.dumps(e) + '\n' for e in events)


def seen(d, rule='each'):
    return sorted(a['fields']['n'] for a in d.alerts() if a['rule'] == rule)


def part_forms():
    d = Daemon(http='max_body 64KiB', rules={'each.rule': EACH}, source=WEB % 'max_line 1KiB' +
               'source other { http {} time arrival }\nsource disk { file "ev.ndjson" idle 10ms }\n')
    post = '/v1/events/web'
    for body, more, accepted in (
            (lines(event(1), event(2)), NDJSON, 2),
            (lines(event(3)) + '\r\n\n' + json.dumps(event(4)), {}, 2),
            ([event(5), event(6)], {}, 2),
            (event(7), {}, 1),
            (json.dumps(event(8), indent=2), {'Content_Type': 'application/json; charset=utf-8'}, 1),
            (lines(event(9), event(10)), {'Content_Type': 'application/json'}, 2),
            (gzip.compress(lines(event(11)).encode()), {'Content_Encoding': 'gzip', **NDJSON}, 1),
            ('', NDJSON, 0), ('[]', {}, 0)):
        got = d.good('POST', post, body, **more)
        check(got == {'accepted': accepted, 'rejected': []}, f'{body}: {got}')
    until('all of them', lambda: seen(d) == list(range(1, 12)))
    got = d.good('POST', post, lines(event(12)) + 'no\n[1]\n' + json.dumps({'x': 'y' * 2000}))
    check(got['accepted'] == 1 and [r['line'] for r in got['rejected']] == [2, 3, 4], f'rejects: {got}')
    got = d.good('POST', post, [event(13), 7, 'x' * 10])
    check(got['accepted'] == 1 and [r['line'] for r in got['rejected']] == [2, 3], f'of an array: {got}')
    got = d.good('POST', post, 'x\n' * 200 + lines(event(14)))
    check(len(got['rejected']) == 100 and got['rejected_total'] == 200, 'a hundred are told of')
    problem = d.bad(422, 'POST', post, 'x\ny\n')
    check([r['line'] for r in problem['rejected']] == [1, 2] and problem['type'].endswith('no-events'), f'{problem}')
    d.bad(400, 'POST', post, json.dumps([event(99)])[:-1])
    d.bad(400, 'POST', post, b'no gzip', Content_Encoding='gzip')
    d.bad(413, 'POST', post, lines(*(event(n) for n in range(2000))))
    d.bad(413, 'POST', post, gzip.compress(b'{}\n' * 100000), Content_Encoding='gzip')
    check('did you mean `web`' in d.bad(404, 'POST', '/v1/events/wep', lines(event(99)))['detail'], 'the nearest')
    d.bad(404, 'POST', '/v1/events/disk', lines(event(99)))
    d.bad(415, 'POST', post, 'x', Content_Encoding='br')
    status, headers, _ = d.ask('GET', post)
    check(status == 405 and headers['Allow'] == 'POST', f'{status} {headers}')
    check(d.good('POST', '/v1/events/other', '{"no":"time"}')['accepted'] == 1, 'time is arrival')
    until('the rest', lambda: seen(d) == list(range(1, 15)))
    kinds = {s['name']: s for s in d.good('GET', '/v1/sources')['sources']}
    check(kinds['web']['kind'] == 'http' and kinds['disk']['kind'] == 'file', 'kinds')
    check(until('read', lambda: [s for s in d.good('GET', '/v1/sources')['sources']
                                 if s['name'] == 'other' and s['events'] == 1]), 'an event of arrival')
    d.stop()
    d.start()  # where it left off
    d.good('POST', post, event(15))
    until('after a restart', lambda: seen(d) == list(range(1, 16)))
    d.stop()


def part_example():
    """The one of the reference, as it stands there but for the port."""
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../grammar/http.md')).read()
    at = text.index('/v1/events/web\n')
    block = text[text.rindex('```sh\n', 0, at) + 6:text.index('```', at)]
    want = json.loads(block[block.index('# ') + 2:])
    d = Daemon(source='source web { http {} }\n')
    run = subprocess.run(['sh', '-c', block.replace(':7070/', f':{d.port}/')], capture_output=True, text=True)
    check(run.returncode == 0 and json.loads(run.stdout) == want, f'{run.stdout}{run.stderr}')
    d.stop()


def part_reload():
    """A source more, one less, another limit, while events come."""
    d = Daemon(rules={'each.rule': EACH}, source=WEB % '')
    ended, sent, failed = threading.Event(), [], []

    def client():
        n = 0
        while not ended.is_set():
            status, headers, data = d.ask('POST', '/v1/events/web', lines(event(n)), **NDJSON)
            if status == 200:
                sent.append(n)
                n += 1
            elif status != 503 or 'Retry-After' not in headers:
                failed.append((status, data))
                return
    thread = threading.Thread(target=client, daemon=True)
    thread.start()
    conf = open(d.path('tocsin.conf')).read()
    for more in ('source two { http {} idle 10ms }\n', '', 'source two { http {} idle 10ms }\nsource z { http {} idle 10ms }\n'):
        d.write('tocsin.conf', conf + more)
        d.process.send_signal(signal.SIGHUP)
        want = 1 + more.count('source')
        until(f'{want} sources', lambda: len(d.good('GET', '/v1/sources')['sources']) == want)
        status = until('settled', lambda: (s := d.ask('POST', '/v1/events/two', '{"ts":1}')[0]) != 503 and s)
        check(status == (200 if more else 404), f'the other source: {status}')
    d.write('tocsin.conf', conf.replace('quiet hold', 'quiet hold spool_limit 1GiB'))
    d.process.send_signal(signal.SIGHUP)
    until('one source', lambda: len(d.good('GET', '/v1/sources')['sources']) == 1)
    before = len(sent)
    until('more', lambda: failed or len(sent) > before + 3)
    ended.set()
    thread.join()
    check(not failed, f'{failed}')
    until('all', lambda: seen(d) == sent)
    d.stop()


def part_full():
    d = Daemon(rules={'each.rule': EACH.replace('n >= 0', 'n == -1')}, engine='checkpoint 10s',
               source=WEB % 'spool_segment 64KiB spool_limit 1MiB')
    body = lines(*(event(n) for n in range(1000)))
    posts = 0
    while (got := d.ask('POST', '/v1/events/web', body, **NDJSON))[0] == 200:
        posts += 1
        check(posts < 2000, 'the spool is never full')
    check(got[0] == 429 and got[1]['Retry-After'] == '1' and got[2]['type'].endswith('behind'), f'{got}')
    until('room again', lambda: d.ask('POST', '/v1/events/web', lines(event(1)), **NDJSON)[0] == 200)
    d.stop()


def part_disk():
    if not http_daemon.needs_failpoints('a disk that fails'):
        return
    d = Daemon(rules={'each.rule': EACH}, source=WEB % '', TOCSIN_FAILPOINTS='spool_sync=error@2-3')
    for n, want in enumerate((200, 503, 503, 200)):
        status, headers, data = d.ask('POST', '/v1/events/web', lines(event(n)), **NDJSON)
        check(status == want and (status == 200 or headers['Retry-After']), f'{n}: {status} {data}')
        ready, _, data = d.ask('GET', '/readyz')
        reasons = [(r['reason'], r['subject']) for r in data['reasons']]
        check((ready, reasons) == ((200, []) if want == 200 else (503, [('spool', 'web')])), f'{n}: {ready} {data}')
    until('what was accepted', lambda: seen(d) == [0, 3])
    web = [s for s in d.good('GET', '/v1/sources')['sources'] if s['name'] == 'web'][0]
    check(web['spool_bytes'] > 0 and web['spool_limit_bytes'] > web['spool_bytes'] and web['unread_bytes'] == 0, f'{web}')
    d.stop()


def part_kill():
    """One client, killed daemons: what was accepted is there once, and what a replay of the same says."""
    d = Daemon(rules={'each.rule': EACH, 'pair.rule': PAIR}, source=WEB % '')
    batches, n, rounds = [], 0, 6
    for kill in range(rounds):
        timer = threading.Timer(random.uniform(0.05, 0.6), d.process.kill)
        timer.start()
        while True:
            batch = [event(i) for i in range(n, n + random.randint(1, 40))]
            n += len(batch)
            try:
                status, _, data = d.ask('POST', '/v1/events/web', lines(*batch), **NDJSON)
            except (OSError, http.client.HTTPException):
                batches.append((batch, False))
                break
            check(status == 200 and data['accepted'] == len(batch), f'{status} {data}')
            batches.append((batch, True))
        timer.join()
        d.process.wait()
        d.start()
    accepted = sum(len(b) for b, ok in batches if ok)
    last = n
    d.good('POST', '/v1/events/web', event(last))
    batches.append(([event(last)], True))
    until('the last', lambda: last in seen(d))
    d.stop()
    got = set(seen(d))
    check(len(got) == len(seen(d)), 'each once')
    for batch, ok in batches:
        ns = [e['n'] for e in batch]
        there = [i in got for i in ns]
        check(all(there) if ok else there == sorted(there, reverse=True),
              f'{"accepted" if ok else "never answered"}: {ns} {there}')
    # a replay of what is there
    d.write('all.ndjson', lines(*(e for b, _ in batches for e in b if e['n'] in got)))
    run = subprocess.run([TOCSIN, 'replay', '-c', 'tocsin.conf', 'web=-'], cwd=d.dir, stdin=open(d.path('all.ndjson')),
                         capture_output=True, text=True)
    check(run.returncode == 0, run.stderr)
    again = sorted((a['id'], a['rule'], a['fields']['n']) for a in map(json.loads, run.stdout.splitlines()))
    once = sorted((a['id'], a['rule'], a['fields']['n']) for a in d.alerts())
    check(again == once, f'a replay has {len(again)} alerts, the daemon {len(once)}')
    print(f'{rounds} kills: {accepted} accepted, {len(got)} there, {len(once)} alerts, as in a replay')


def part_keys():
    """Batches posted until they are answered, and once more, around kill -9: each applied once."""
    d = Daemon(rules={'each.rule': EACH}, source=WEB % 'spool_segment 64KiB')
    n, rounds, answered = 0, 6, {}
    for kill in range(rounds):
        timer = threading.Timer(random.uniform(0.05, 0.6), d.process.kill)
        timer.start()
        alive = True
        while alive:
            batch = lines(*(event(i) for i in range(n, n + random.randint(1, 40))))
            key = f'batch-{n}'
            while key not in answered:
                try:
                    status, _, data = d.ask('POST', '/v1/events/web', batch, Idempotency_Key=key, **NDJSON)
                    check(status == 200, f'{status} {data}')
                    answered[key] = batch, data
                except (OSError, http.client.HTTPException):
                    alive = False
                    timer.join()
                    d.process.wait()
                    d.start()
            n += answered[key][1]['accepted']
        for key in random.sample(sorted(answered), min(20, len(answered))):
            batch, data = answered[key]
            check(d.good('POST', '/v1/events/web', batch, Idempotency_Key=key, **NDJSON) == data, 'the first answer')
    d.bad(422, 'POST', '/v1/events/web', lines(event(0)) + '\n', Idempotency_Key=key)
    d.bad(400, 'POST', '/v1/events/web', lines(event(0)), Idempotency_Key='k' * 256)
    until('all of them', lambda: len(seen(d)) >= n)
    d.stop()
    check(seen(d) == list(range(n)), 'each once')
    print(f'{rounds} kills: {len(answered)} batches with keys, {n} events, each once')


class Poster:
    """Batches with keys, each until it is answered and once more."""

    def __init__(self, d):
        self.d, self.n, self.answered, self.under_way = d, 0, {}, None

    def post(self, key, batch):
        """None: the daemon died, or it cannot just now."""
        try:
            status, headers, data = self.d.ask('POST', '/v1/events/web', batch, Idempotency_Key=key, **NDJSON)
        except (OSError, http.client.HTTPException):
            return None
        if status in (429, 503):
            check('Retry-After' in headers, f'{status}: when again?')
            return None
        check(status == 200, f'{status} {data}')
        return data

    def next(self):
        """One batch, the one before if that has no answer yet. False: it has none."""
        if not self.under_way:
            count = random.randint(1, 40)
            self.under_way = f'batch-{self.n}', lines(*(event(i) for i in range(self.n, self.n + count)))
            self.n += count
        key, batch = self.under_way
        data = self.post(key, batch)
        if data is None:
            return False
        self.answered[key] = batch, data
        self.under_way = None
        return True

    def again(self, most):
        """Batches that were answered, once more."""
        for key in random.sample(sorted(self.answered), min(most, len(self.answered))):
            batch, data = self.answered[key]
            said = until('an answer', lambda: self.post(key, batch))
            check(said == data, f'{key}: the first answer was {data}, and now {said}')

    def finish(self):
        until('the last answer', self.next)
        until('all of them', lambda: len(seen(self.d)) >= self.n)
        self.d.stop()
        check(seen(self.d) == list(range(self.n)), 'each once')


SPOOL_STEPS = ('spool_append', 'spool_write', 'spool_sync', 'spool_roll', 'spool_remove')


def part_steps():
    """The daemon is killed at each step of the spool, while batches with keys come; each is applied once."""
    if not http_daemon.needs_failpoints('kills at each step of the spool'):
        return
    d = Mortal(rules={'each.rule': EACH}, source=WEB % 'spool_segment 64KiB', engine='checkpoint 50ms')
    poster, hit = Poster(d), dict.fromkeys(SPOOL_STEPS, 0)
    for step in SPOOL_STEPS * int(os.environ.get('TURNS', 3)):
        d.kill()
        most = {'spool_append': 60, 'spool_roll': 1, 'spool_remove': 1}.get(step, 6)
        d.env = {'TOCSIN_FAILPOINTS': f'{step}=kill@{random.randint(1, most)}'}
        end = time.monotonic() + 10
        ended = not d.start()
        while not ended and time.monotonic() < end:
            poster.next()
            ended = d.process.poll() is not None
        if ended:
            d.died()
            hit[step] += 1
        else:
            d.kill()
        d.env = {}
        check(d.start(), 'it starts again')
        poster.again(10)
    poster.finish()
    never = [step for step, times in hit.items() if not times]
    check(not never, f'never killed at: {never}')
    print(f'{sum(hit.values())} kills at steps of the spool: {len(poster.answered)} batches with keys, each once')


def part_twins():
    """One key twice at once, also while the disk fails: one of them is applied, both have its answer."""
    d = Daemon(rules={'each.rule': EACH}, source=WEB % '',
               **({'TOCSIN_FAILPOINTS': 'spool_sync=error@3-9,spool_write=full@20-24'} if http_daemon.needs_failpoints('a disk that fails under one key twice') else {}))
    n = 0
    for turn in range(12):
        batch = lines(*(event(i) for i in range(n, n + 10)))
        n += 10
        got = []

        def client(poster):
            got.append(until('an answer', lambda: poster.post(f'twin-{turn}', batch)))
        threads = [threading.Thread(target=client, args=(Poster(d),), daemon=True) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check(got == [{'accepted': 10, 'rejected': []}] * 4, f'{got}')
    until('all of them', lambda: len(seen(d)) >= n)
    d.stop()
    check(seen(d) == list(range(n)), 'each once')


def numbers():
    """Durable events over loopback."""
    body = lines(*({'ts': 1000 + n, 'host': f'h{n % 50}', 'user': 'somebody', 'action': 'login',
                    'message': 'm' * 120, 'n': n} for n in range(5000))).encode()
    for clients, count in ((1, 60), (8, 15)):
        d = Daemon(rules={'each.rule': EACH.replace('n >= 0', 'n == -1')}, source=WEB % '')

        def client():
            c = http.client.HTTPConnection('127.0.0.1', d.port, timeout=120)
            for _ in range(count):
                c.request('POST', '/v1/events/web', body, {'Content-Type': 'application/x-ndjson'})
                answer = c.getresponse()
                check(answer.status == 200 and json.loads(answer.read())['accepted'] == 5000, f'{answer.status}')
        threads = [threading.Thread(target=client, daemon=True) for _ in range(clients)]
        begin = time.monotonic()
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        took = time.monotonic() - begin
        posts = clients * count
        print(f'{clients} clients: {posts} posts of {len(body)} bytes in {took:.2f} s: '
              f'{posts * len(body) / took / 1e6:.1f} MB/s, {posts * 5000 / took:.0f} events/s')
        d.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    if sys.argv[3:] == ['numbers']:
        numbers()
        sys.exit(0)
    http_daemon.run_parts(PARTS, sys.argv[3:])
