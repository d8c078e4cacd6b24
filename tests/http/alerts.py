#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Alerts over HTTP: pages of those that are kept, and those who watch; against what the file sink has.

    alerts.py TOCSIND TOCSIN [PART...]
    alerts.py TOCSIND TOCSIN numbers      what keeping them costs, what pages and watching do
"""
import json
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.parse

import http_daemon
from alerts_watch import NDJSON, ONE, RULES, WEB, Watch, bare, kept, metric, post, rfc, time_of, told
from http_daemon import Daemon, Mortal, check, until

# ---- pages ---------------------------------------------------------------------------------------

def part_filters():
    d = Daemon(rules={'r.rule': RULES}, source=WEB)
    post(d, 0, 300)
    want = 300 + 150 + 30
    until('all of them', lambda: len(told(d)) == want)
    sink = told(d)
    numbered = list(enumerate(sink, 1))

    def same(query, fits, lines=False):
        for order in ('oldest', 'newest'):
            got, _ = kept(d, f'limit=1000&order={order}&{query}')
            wanted = [(n, a) for n, a in numbered if fits(n, a)]
            if order == 'newest':
                wanted.reverse()
            check([(a['number'], bare(a)) for a in got] == wanted, f'{query} {order}: {len(got)} of {len(wanted)}')

    key = lambda *values: urllib.parse.quote(json.dumps(values[0] if len(values) == 1 else values))
    same('', lambda n, a: True)
    same('rule=each', lambda n, a: a['rule'] == 'each')
    same('rule=e*', lambda n, a: a['rule'][0] == 'e')
    same('rule=nobody', lambda n, a: False)
    same('rule=even,an*' , lambda n, a: a['rule'] != 'each')
    same('rule=' + urllib.parse.quote('an "odd" one'), lambda n, a: a['rule'].startswith('an'))
    same('severity=high', lambda n, a: a['severity'] == 'high')
    same('severity=low,critical', lambda n, a: a['severity'] != 'high')
    same('min_severity=high', lambda n, a: a['severity'] != 'low')
    same('min_severity=high&severity=low,high', lambda n, a: a['severity'] == 'high')
    same('key=' + key(42), lambda n, a: a['rule'] == 'even' and a['key']['n'] == 42)
    same('key=42.0', lambda n, a: a['rule'] == 'even' and a['key']['n'] == 42)
    same('key=' + key('k2', 42), lambda n, a: a['rule'] == 'each' and a['key']['n'] == 42)
    same('key=k2', lambda n, a: a['rule'].startswith('an') and a['key'] == {'k': 'k2'})
    same('key="k2"', lambda n, a: a['rule'].startswith('an') and a['key'] == {'k': 'k2'})
    same('key=' + key({'k': 'k2'}), lambda n, a: a['key'].get('k') == 'k2')
    same('key=' + key({'n': 42}), lambda n, a: a['key'].get('n') == 42)
    same('key=[]', lambda n, a: False)
    same('key={}', lambda n, a: True)
    same('since=' + rfc(250), lambda n, a: a['time'] >= rfc(250))
    same(f'since={rfc(100)}&until={rfc(101)}', lambda n, a: a['time'] == rfc(100))
    same('after=470', lambda n, a: n > 470)
    same(f'rule=even&until={rfc(20)}&after=3', lambda n, a: a['rule'] == 'even' and a['time'] < rfc(20) and n > 3)
    check(all(a['detected_at'] for a in kept(d)[0]), 'when they were found')
    # lines; a page may have fewer than its limit
    lines, limit, cursor = [], 5, ''
    while limit:
        _, headers, text = d.ask('GET', f'/v1/alerts?limit={limit}&rule=each{cursor}', Accept='application/x-ndjson')
        check(headers['Content-Type'] == 'application/x-ndjson' and len(text.splitlines()) <= limit, f'{limit} lines at most')
        lines += text.splitlines()
        limit, cursor = 1000 if 'Tocsin-Next' in headers else 0, '&cursor=' + headers.get('Tocsin-Next', '')
    check(len(lines) == 300 and len(set(lines)) == 300, f'all of them, once: {len(lines)}')
    # what is wrong
    for query in ('order=x', 'limit=0', 'limit=x', 'severity=x', 'severity=', 'min_severity=9', 'since=x', 'until=12',
                  'rule=', 'rule=a,,b', 'cursor=x', 'cursor=' + 'f' * 28, 'nonsense=1', 'after=x', 'key={"a":{}}'):
        d.bad(400, 'GET', '/v1/alerts?' + query)
        if not query.startswith(('order', 'limit', 'cursor')):
            d.bad(400, 'GET', '/v1/alerts/stream?' + query)
    for last in ('x', '', '-1', '1.5', '9' * 30):
        check(d.ask('GET', '/v1/alerts/stream', Last_Event_ID=last)[0] == 400, f'Last-Event-ID: {last}')
    cursor = d.good('GET', '/v1/alerts?limit=5&rule=each')['next']
    d.bad(400, 'GET', '/v1/alerts?rule=even&cursor=' + cursor)
    d.bad(400, 'GET', '/v1/alerts?rule=each&order=oldest&cursor=' + cursor)
    check(len(d.good('GET', '/v1/alerts?rule=each&limit=7&cursor=' + cursor)['alerts']) <= 7, 'another limit is fine')
    check(metric(d, 'tocsin_alerts_stored') == want, 'counted')
    d.stop()
    d.start()
    same('rule=even', lambda n, a: a['rule'] == 'even')
    d.stop()


def part_pages():
    """To the end, while alerts are being added."""
    d = Daemon(rules={'r.rule': ONE}, source=WEB)
    post(d, 0, 500)
    until('first ones', lambda: len(told(d)) == 500)
    done = threading.Event()

    def more():
        n = 500
        while not done.is_set():
            post(d, n, 20)
            n += 20
        more.n = n
    adding = threading.Thread(target=more)
    adding.start()
    try:
        numbers = [a['number'] for a in kept(d, 'limit=7')[0]]
        check(numbers == list(range(numbers[0], 0, -1)) and numbers[0] >= 500, 'newest first: each once')
        for limit in (3, 50):
            first = d.good('GET', f'/v1/alerts?order=oldest&limit={limit}')
            numbers, page = [a['number'] for a in first['alerts']], first
            while page['next'] and len(numbers) < 700:
                page = d.good('GET', f'/v1/alerts?order=oldest&limit={limit}&cursor={page["next"]}')
                numbers += [a['number'] for a in page['alerts']]
            check(numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 500, 'oldest first: each once')
    finally:
        done.set()
        adding.join()
    until('all of them', lambda: len(told(d)) == more.n)
    got, _ = kept(d, 'order=oldest&limit=999')
    check([bare(a) for a in got] == told(d), 'as the sink has them')
    d.stop()


def part_kept():
    """Bounds, and none at all."""
    d = Daemon(http='alerts_count 100', rules={'r.rule': ONE}, source=WEB)
    for i in range(0, 350, 10):
        post(d, i, 10)
    until('all of them', lambda: len(told(d)) == 350)
    page, got = d.good('GET', '/v1/alerts?limit=1'), kept(d)[0]
    check(page['last'] == 350 and 100 >= len(got) > 80 and page['first'] == 351 - len(got), f'the newest hundred: {page}')
    check(metric(d, 'tocsin_alerts_expired_total') == page['first'] - 1, 'pushed out')
    d.kill()
    d.start()
    check(d.good('GET', '/v1/alerts?limit=1') == page and kept(d)[0] == got, 'the same after a kill')
    d.stop()
    # by age, though nothing new comes
    d.write('tocsin.conf', open(d.path('tocsin.conf')).read().replace('alerts_count 100', 'alerts_keep 1s'))
    d.start()
    until('all have gone', lambda: d.good('GET', '/v1/alerts')['last'] == 350 and
          d.good('GET', '/v1/alerts')['first'] == 351)
    check(d.good('GET', '/v1/alerts')['alerts'] == [] and d.good('GET', '/v1/alerts?order=oldest')['next'] is None, 'none')
    post(d, 1000, 1)
    until('one more', lambda: d.good('GET', '/v1/alerts')['last'] == 351)
    d.stop()
    # by bytes
    d = Daemon(http='alerts_bytes 1MiB', rules={'r.rule': ONE}, source=WEB)
    for i in range(40):
        post(d, i * 20, 20, more='x' * 4000)
    until('all of them', lambda: len(told(d)) == 800)
    size = metric(d, 'tocsin_alerts_stored_bytes')
    check(0.8 * (1 << 20) < size <= 1 << 20, f'{size} bytes')
    d.stop()
    # none
    d = Daemon(http='alerts_count 0', rules={'r.rule': ONE}, source=WEB)
    post(d, 0, 5)
    until('all of them', lambda: len(told(d)) == 5)
    d.bad(404, 'GET', '/v1/alerts')
    d.bad(404, 'GET', '/v1/alerts/stream')
    check(metric(d, 'tocsin_alerts_stored') is None, 'no figure of what there is not')
    d.stop()


def part_found():
    """What goes to no sink, or is muted, was found all the same; what is beyond a limit is a dead letter."""
    d = Daemon(rules={'r.rule': '''
rule muted { match by n { a: web where n >= 0 } }
rule few { limit alerts 3 per 1h match by n { a: web where n >= 0 } }
rule inside { emit into between { n = a.n } match by n { a: web where n >= 0 } }
rule outside { match by n { a: between where n < 5 } }
'''}, source=WEB)
    conf = open(d.path('tocsin.conf')).read()
    d.stop()
    d.write('tocsin.conf', conf.replace('sink disk', 'sink silent { file "silent.ndjson" }\n'
            'route { rules ["muted"] to [silent] mute "00:00-24:00" }\ndefault_to [disk]\nsink disk'))
    d.start()
    post(d, 0, 10)
    until('those that are kept', lambda: len(kept(d)[0]) >= 18)
    rules = [a['rule'] for a in kept(d)[0]]
    check(not os.path.exists(d.path('silent.ndjson')) or not open(d.path('silent.ndjson')).read(), 'muted')
    check('inside' not in rules and rules.count('outside') == 5, 'what goes into a stream alone is no alert')
    check(rules.count('muted') == 10, 'muted ones are there')
    check(rules.count('few') == 3, f'those beyond the limit are dead letters: {rules}')
    d.stop()


# ---- who watches ---------------------------------------------------------------------------------

def part_watch():
    d = Daemon(http='heartbeat 300ms', rules={'r.rule': RULES}, source=WEB)
    post(d, 0, 50)
    until('the first', lambda: len(told(d)) == 50 + 25 + 5)
    now = Watch(d).wait()
    all_of_them = Watch(d, last=0).wait()
    by_query = Watch(d, 'after=70').wait()
    some = Watch(d, 'rule=even&min_severity=high&key=104').wait()
    check(now.events == [] and now.last == 80, 'from now on')
    until('what there was', lambda: len(all_of_them.alerts()) == 80 and len(by_query.alerts()) == 10)
    post(d, 100, 20)
    want = told(d)
    until('all', lambda: len(told(d)) == 80 + 32 and len(all_of_them.alerts()) == 112)
    want = told(d)
    check([bare(a) for a in all_of_them.alerts()] == want, 'as the sink has them')
    until('those from now on', lambda: len(now.alerts()) == 32)
    until('those behind a number', lambda: len(by_query.alerts()) == 42)
    check([bare(a) for a in now.alerts()] == want[80:] and [e[0] for e in now.events] == list(range(81, 113)), 'from now')
    check([bare(a) for a in by_query.alerts()] == want[70:], 'behind a number')
    until('the one', lambda: some.alerts() and some.last == 112)
    check([a['key'] for a in some.alerts()] == [{'n': 104}] and some.events[0][0] < 112,
          'the one that fits; a heartbeat says what was passed over')
    check(kept(d, 'order=oldest')[0] == all_of_them.alerts(), 'as pages have them')
    # a heartbeat each 300 ms
    before = now.beats
    until('heartbeats', lambda: now.beats >= before + 3)
    until('they are counted', lambda: metric(d, 'tocsin_http_streams') == 4)
    # rules change: who watches does not see it
    d.write('rules/r.rule', RULES.replace('n % 2 == 0', 'n % 2 == 1'))
    d.process.send_signal(signal.SIGHUP)
    until('swapped', lambda: 'msg="swapped"' in d.log())
    d.good('PUT', '/v1/modules/x', ONE.replace('each', 'other'))
    post(d, 200, 4)
    until('those of the new rules', lambda: len(now.alerts()) == 32 + 4 + 2 + 4)
    check(now.ends == 0, 'it goes on')
    # who goes is not counted for long
    for w in (all_of_them, by_query, some):
        w.close()
    until('gone', lambda: metric(d, 'tocsin_http_streams') == 1)
    # a blank in an event that would end a line
    d.good('POST', '/v1/events/web', '{"ts": %d,\r"n": 1000, \r "k": "x"}\n' % time_of(1000), **NDJSON)
    until('it came whole', lambda: [a for a in now.alerts() if a['fields'].get('n') == 1000])
    # the end
    now.again = False
    d.stop()
    now.join(120)
    check(not now.is_alive() and now.ends == 1, 'it was told the end')


def part_resume():
    """Over broken connections and kill -9: each once, in order, as in the sink."""
    d = Daemon(rules={'r.rule': ONE}, source=WEB)
    first = Watch(d).wait()
    watches = [first] + [Watch(d, last=0).wait() for _ in range(5)]
    n = 0
    for turn in range(24):
        post(d, n, 40)
        n += 40
        for w in random.sample(watches, 3):
            w.drop()
        if turn % 6 == 5:
            d.kill()
            d.start()
    until('all in the sink', lambda: len(told(d)) == n)
    for w in watches:
        until('all', lambda: len(w.alerts()) >= n)
    time.sleep(0.2)
    sink = told(d)
    for w in watches:
        check([bare(a) for a in w.alerts()] == sink, 'each once, in order')
        check(w.gaps() == [] and [e[0] for e in w.events] == list(range(1, n + 1)), 'without a gap')
        w.close()
    d.stop()


def part_steps():
    """Killed at each step of a checkpoint: who watches has each alert once, with the number that it keeps."""
    if not http_daemon.needs_failpoints('kills at each step of a checkpoint'):
        return
    d = Mortal(http='alerts_count 300', rules={'r.rule': ONE.replace('web', 'ev')},
               source='source ev { file "ev*.ndjson" time ts lateness 0s idle 50ms }\n', engine='checkpoint 50ms')
    w, n, kills = Watch(d, last=0).wait(), 0, 0
    for step in ('epoch_numbered', 'store_write', 'store_written', 'epoch_written', 'epoch_done', 'epoch_told'):
        kills += d.ends()
        d.env = {'TOCSIN_FAILPOINTS': f'{step}=kill@{random.randint(1, 8)}'}
        alive = d.start()
        for _ in range(12 if alive else 0):
            d.events(*({'ts': time_of(n + i), 'n': n + i} for i in range(5)))
            n += 5
            time.sleep(0.03)
            if d.process.poll() is not None:
                break
        if d.process.poll() is None and alive:
            continue
        d.died()
        kills += 1
        d.env = {}
        check(d.start(), 'it starts again')
    kills, d.env = kills + d.ends(), {}
    check(d.start(), 'it starts again')
    until('all in the sink', lambda: len(told(d)) == n)
    until('all', lambda: len(w.alerts()) >= n)
    check([bare(a) for a in w.alerts()] == told(d), 'each once, in order')
    check([e[0] for e in w.events] == list(range(1, n + 1)), 'numbers that go up by one')
    got = kept(d, 'order=oldest')[0]
    check(got == w.alerts()[-len(got):] and len(got) == min(n, 300), 'what is kept has the same numbers')
    w.close()
    d.stop()
    check(kills > 3, f'{kills} kills')
    print(f'{kills} kills')


def part_gap():
    d = Daemon(http='alerts_count 50', rules={'r.rule': ONE}, source=WEB)
    w = Watch(d).wait()
    post(d, 0, 5)
    until('five', lambda: len(w.alerts()) == 5)
    w.again = False
    w.drop()
    w.join(60)
    for i in range(20):
        post(d, 5 + 10 * i, 10)
    until('pushed out', lambda: d.good('GET', '/v1/alerts')['last'] == 205)
    first = d.good('GET', '/v1/alerts')['first']
    w = Watch(d, last=w.last).wait()
    until('the rest', lambda: w.last == 205)
    check(w.gaps() == [{'lost': first - 6, 'first': first}] and w.events[0][:2] == (first - 1, 'gap'), f'{w.gaps()}')
    check([a['number'] for a in w.alerts()] == list(range(first, 206)), 'what is left')
    w.close()
    # of another state directory
    w = Watch(d, last=10 ** 6).wait()
    until('from the beginning', lambda: len(w.alerts()) == 206 - first)
    check(w.gaps() == [{'lost': None, 'first': first}], f'numbers that there were not: {w.gaps()}')
    w.close()
    d.stop()


def slow_client(d, query='after=0'):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.connect(('127.0.0.1', d.port))
    s.sendall(f'GET /v1/alerts/stream?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n'.encode())
    return s


def part_many():
    """200 at once."""
    d = Daemon(http='streams 201', rules={'r.rule': ONE}, source=WEB)
    watches = [Watch(d, again=False) for _ in range(200)]
    for w in watches:
        w.wait()
    one = Watch(d).wait()
    refused = Watch(d, again=False)
    refused.join(60)
    check(refused.refused == 503, f'one too many: {refused.refused}')
    n = 0
    for _ in range(10):
        post(d, n, 50, more='x' * 2000)
        n += 50
    for w in [one] + watches:
        until('all', lambda: len(w.alerts()) == n)
        check([e[0] for e in w.events] == list(range(1, n + 1)), 'each once')
    check([bare(a) for a in one.alerts()] == told(d), 'as the sink has them')
    d.stop()
    for w in watches:
        w.join(120)
        check(w.ends == 1 and not w.is_alive(), 'all were told the end')
    one.close()


def part_slow():
    """Those that take nothing hold nobody up, and are closed; one that takes little at a time gets all."""
    d = Daemon(http='request_timeout 5s', rules={'r.rule': ONE}, source=WEB)
    slow = [slow_client(d) for _ in range(5)]
    one = Watch(d).wait()
    for i in range(40):
        post(d, 50 * i, 50, more='x' * 8000)  # 16 MB: more than the system's buffers
    until('all', lambda: len(one.alerts()) == 2000)
    check([e[0] for e in one.events] == list(range(1, 2001)), 'each once')
    size = int(next(line for line in open(f'/proc/{d.process.pid}/status') if line.startswith('VmRSS')).split()[1])
    print(f'resident: {size >> 10} MiB')
    until('those that take nothing are closed', lambda: metric(d, 'tocsin_http_streams') == 1)
    check(one.ends == 0, 'who takes stays')
    for s in slow:
        s.close()
    s, got, begin = slow_client(d, 'after=1500'), bytearray(), time.monotonic()
    while b'id: 2000\n' not in got[-20000:]:
        piece = s.recv(65536)
        check(piece, f'it ended after {len(got)} bytes')
        got += piece
        if time.monotonic() - begin < 3:
            time.sleep(0.02)
    check(got.count(b'event: alert\n') == 500 and b'event: gap' not in got, 'bit by bit')
    s.close()
    one.close()
    d.stop()


def part_large():
    """Alerts that are longer than what all clients may be given together."""
    d = Daemon(http='streams 4', rules={'r.rule': ONE}, source=WEB)
    watches = [Watch(d).wait() for _ in range(4)]
    for i in range(12):
        post(d, i, 1, more='x' * 1500000)
    for w in watches:
        until('all', lambda: len(w.alerts()) == 12)
        check([e[0] for e in w.events] == list(range(1, 13)) and w.ends == 0, 'each once')
        w.close()
    d.stop()


def part_stop():
    """With clients that take nothing it stops, too."""
    d = Daemon(rules={'r.rule': ONE}, source=WEB)
    for i in range(20):
        post(d, 100 * i, 100, more='x' * 8000)
    until('all', lambda: len(told(d)) == 2000)
    slow = [slow_client(d) for _ in range(20)]
    until('they watch', lambda: metric(d, 'tocsin_http_streams') == 20)
    d.stop()
    for s in slow:
        s.close()
    # and one that has asked, and went at once
    d.start()
    for _ in range(50):
        slow_client(d).close()
    until('all have gone', lambda: metric(d, 'tocsin_http_streams') == 0)
    status, headers, _ = d.ask('HEAD', '/v1/alerts/stream')
    check(status == 200 and headers['Content-Type'] == 'text/event-stream', 'HEAD')
    until('so has that', lambda: metric(d, 'tocsin_http_streams') == 0)
    s = socket.create_connection(('127.0.0.1', d.port))
    s.sendall(b'GET /v1/alerts/stream?after=1995 HTTP/1.0\r\nHost: localhost\r\n\r\n')
    got = b''
    while b'id: 2000\n' not in got:
        got += s.recv(65536)
    check(b'chunked' not in got, 'HTTP/1.0')
    s.close()
    d.stop()


def part_tokens():
    secret = {role: f'secret-{role}' for role in ('read', 'ingest', 'admin')}
    d = Daemon(rules={'r.rule': ONE}, source=WEB, tokens=secret)
    for role, want in ((None, 401), ('ingest', 403)):
        for path in ('/v1/alerts', '/v1/alerts/stream'):
            check(d.ask('GET', path, token=secret.get(role))[0] == want, f'{path} as {role}')
    w, other = (Watch(d, token=secret[role], again=False).wait() for role in ('read', 'admin'))
    d.process.send_signal(signal.SIGHUP)  # the same tokens
    until('read again', lambda: 'nothing has changed' in d.log())
    time.sleep(0.2)
    check(w.ends == 0, 'it goes on')
    d.write('tokens', ''.join(line for line in open(d.path('tokens')).readlines() if 'the-read' not in line))
    d.process.send_signal(signal.SIGHUP)
    w.join(60)
    check(w.ends == 1, 'a token that is none any more ends it')
    check(d.ask('GET', '/v1/alerts', token=secret['read'])[0] == 401, 'refused')
    d.write('tokens', open(d.path('tokens')).read() + '# the same\n')
    d.process.send_signal(signal.SIGHUP)
    until('read again', lambda: d.log().count('no rule has changed') >= 2)
    check(other.ends == 0, 'one that is still there goes on')
    d.write('tokens', open(d.path('tokens')).read().replace(' admin ', ' ingest '))
    d.process.send_signal(signal.SIGHUP)
    other.join(60)
    check(other.ends == 1, 'one whose role does not allow it any more ends')
    d.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    http_daemon.run_parts(PARTS, sys.argv[3:])
