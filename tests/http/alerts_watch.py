# SPDX-License-Identifier: Apache-2.0
"""What alerts.py and alerts_cost.py work with: events that are one alert each, pages of them, and who watches."""
import http.client
import json
import os
import socket
import threading
import time

from http_daemon import check

WEB = 'source web { http {} time ts lateness 0s idle 1s quiet hold }\n'
RULES = '''
rule each { severity low match by k, n { a: web where n >= 0 } emit { n = a.n } }
rule even { severity high match by n { a: web where n % 2 == 0 } emit { n = a.n } }
rule `an "odd" one` { severity critical match by k { a: web where n % 10 == 7 } emit { n = a.n } }
'''
ONE = 'rule each { match by n { a: web where n >= 0 } emit { n = a.n } }\n'
NDJSON = {'Content_Type': 'application/x-ndjson'}


def time_of(n):
    return 1700000000 + n


def rfc(n):
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time_of(n)))


def post(d, first, n, more=''):
    """Events first, first + 1, ...; each of them is one alert of `each`."""
    lines = ''.join(json.dumps({'ts': time_of(i), 'k': f'k{i % 5}', 'n': i, 'x': more}) + '\n'
                    for i in range(first, first + n))
    d.good('POST', '/v1/events/web', lines, **NDJSON)


def bare(alert):
    return {k: v for k, v in alert.items() if k not in ('number', 'detected_at')}


def told(d):
    """What the file sink has, in its order."""
    if not os.path.exists(d.path('alerts.ndjson')):
        return []
    text = open(d.path('alerts.ndjson')).read()
    return [bare(json.loads(line)) for line in text[:text.rfind('\n') + 1].splitlines()]


def kept(d, query='', **headers):
    """All pages, and how many they were."""
    alerts, cursor, pages = [], '', 0
    while True:
        got = d.good('GET', f'/v1/alerts?{query}{cursor}', **headers)
        alerts += got['alerts']
        pages += 1
        if got['next'] is None:
            return alerts, pages
        cursor = '&cursor=' + got['next']


# ---- who watches ---------------------------------------------------------------------------------

class Watch(threading.Thread):
    """A client; begins again where it was when its connection ends, until `close`."""

    def __init__(self, d, query='', last=None, again=True, token=None):
        super().__init__(daemon=True)
        self.d, self.query, self.last, self.again, self.token = d, query, last, again, token
        self.events, self.beats, self.ends, self.refused = [], 0, 0, None
        self.closed, self.socket, self.begun = False, None, threading.Event()
        self.start()

    def alerts(self):
        return [json.loads(data) for _, kind, data in self.events if kind == 'alert']

    def gaps(self):
        return [json.loads(data) for _, kind, data in self.events if kind == 'gap']

    def run(self):
        while not self.closed:
            try:
                self.watch()
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self.ends += 1
            if not self.again or self.refused:
                return
            time.sleep(0.02)

    def watch(self):
        c = http.client.HTTPConnection('127.0.0.1', self.d.port, timeout=60)
        headers = {'Last-Event-ID': str(self.last)} if self.last is not None else {}
        if self.token:
            headers['Authorization'] = 'Bearer ' + self.token
        c.request('GET', '/v1/alerts/stream?' + self.query, headers=headers)
        self.socket = c.sock
        answer = c.getresponse()
        if answer.status != 200:
            if answer.status != 503 or not self.again:
                self.refused = answer.status
            return
        check(answer.getheader('Content-Type') == 'text/event-stream', 'a stream of events')
        self.read(answer)
        c.close()

    def read(self, answer):
        event, data, last = 'message', [], self.last
        while True:
            line = answer.readline()
            if not line:
                return
            line = line.rstrip(b'\n').decode()
            if line == '':
                if data:
                    self.events.append((last, event, '\n'.join(data)))
                self.last = last
                event, data = 'message', []
                self.begun.set()
            elif line.startswith(':'):
                self.beats += 1
            else:
                name, _, value = line.partition(': ')
                if name == 'id':
                    last = int(value)
                elif name == 'event':
                    event = value
                elif name == 'data':
                    data.append(value)

    def wait(self):
        check(self.begun.wait(60), 'it begins')
        return self

    def drop(self):
        """The connection breaks."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self):
        self.closed = True
        self.drop()
        self.join(60)


def metric(d, name):
    for line in d.good('GET', '/metrics').splitlines():
        if line.startswith(name + ' '):
            return float(line.split()[1])
    return None
