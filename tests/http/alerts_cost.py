#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What keeping alerts and showing them costs, in figures; no test.

    alerts_cost.py TOCSIND TOCSIN
"""
import json
import os
import socket
import sys
import time

import http_daemon
from alerts_watch import ONE, WEB, metric, post, rfc, time_of
from http_daemon import Daemon, until

def cpu_of(d):
    text = open(f'/proc/{d.process.pid}/stat').read().rsplit(')', 1)[1].split()
    return (int(text[11]) + int(text[12])) / os.sysconf('SC_CLK_TCK')


def cost_of_keeping(http, n, size):
    """Every event is an alert: seconds, seconds of CPU."""
    d = Daemon(http=http, rules={'r.rule': 'rule each { match by n { a: ev where n >= 0 } emit { n = a.n } }\n'},
               source='source ev { file "ev*.ndjson" time ts lateness 0s idle 100ms }\n')
    lines = ''.join(json.dumps({'ts': time_of(i // 100), 'n': i, 'x': 'x' * size}) + '\n' for i in range(n))
    d.write('ev1.part', lines)
    begin, cpu = time.monotonic(), cpu_of(d)
    os.rename(d.path('ev1.part'), d.path('ev1.ndjson'))
    rows = lambda: open(d.path('alerts.ndjson'), 'rb').read().count(b'\n') if os.path.exists(d.path('alerts.ndjson')) else 0
    while rows() < n:
        time.sleep(0.05)
    took, cpu = time.monotonic() - begin, cpu_of(d) - cpu
    d.stop(verify=False)
    return took, cpu


def numbers():
    n = 50000
    for size in (100, 1500):
        for turn in range(2):
            for name, http in (('not kept', 'alerts_count 0'), ('kept', ''), ('kept, 1,000,000', 'alerts_count 1000000 alerts_bytes 4GiB')):
                took, cpu = cost_of_keeping(http, n, size)
                print(f'{n} alerts of events of {size} bytes, {name}: {n / took:.0f} alerts/s, {cpu / n * 1e6:.1f} us of CPU each',
                      flush=True)
    d = Daemon(rules={'r.rule': ONE}, source=WEB)
    for i in range(100):
        post(d, i * 1000, 1000, more='x' * 300)
    until('all', lambda: d.good('GET', '/v1/alerts?limit=1')['last'] == 100000)
    for query in ('limit=100', 'limit=1000', 'rule=nobody', 'key=77', f'since={rfc(500)}&until={rfc(600)}&limit=1000'):
        begin, asked, got = time.monotonic(), 0, 0
        while time.monotonic() - begin < 2:
            got += len(d.good('GET', '/v1/alerts?' + query)['alerts'])
            asked += 1
        print(f'GET /v1/alerts?{query}: {(time.monotonic() - begin) / asked * 1000:.1f} ms a page of {got // asked}')
    s, got, begin = socket.create_connection(('127.0.0.1', d.port)), 0, time.monotonic()
    s.sendall(b'GET /v1/alerts/stream?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    tail = b''
    while b'id: 100000\n' not in tail:
        piece = s.recv(1 << 20)
        got, tail = got + len(piece), (tail + piece)[-5000:]
    took = time.monotonic() - begin
    print(f'a stream of 100,000 alerts from the first: {100000 / took:.0f} alerts/s, {got / took / 1e6:.0f} MB/s')
    s.close()
    clients = []
    for _ in range(1000):
        s = socket.create_connection(('127.0.0.1', d.port))
        s.sendall(b'GET /v1/alerts/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
        clients.append(s)
    until('all watch', lambda: metric(d, 'tocsin_http_streams') == 1000)
    for s in clients:
        s.settimeout(30)
        while b'id: ' not in s.recv(65536):
            pass
    cpu, late = cpu_of(d), []
    for i in range(10):
        begin = time.monotonic()
        post(d, 200000 + i, 1)
        for s in clients:
            while b'event: alert' not in s.recv(65536):
                pass
        late.append(time.monotonic() - begin)
    print(f'1000 clients: one alert is with all of them after {sorted(late)[5] * 1000:.0f} ms (median of 10; one thread '
          f'reads them all), {(cpu_of(d) - cpu) / 10 * 1000:.0f} ms of CPU of the daemon an alert')
    size = [line.split()[1] for line in open(f'/proc/{d.process.pid}/status') if line.startswith('VmRSS')]
    print(f'resident: {int(size[0]) >> 10} MiB')
    d.stop()


if __name__ == '__main__':
    http_daemon.run_parts({'numbers': numbers}, sys.argv[3:])
