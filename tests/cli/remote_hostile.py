#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool as a client of a server that is none, or hostile.

    remote_hostile.py TOCSIND TOCSIN
"""
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

from remote import HIDDEN, MARK, clean, on_terminal, tool
import http_daemon
from http_daemon import TOCSIN, check, directory

ESCAPE = '\x1b]0;owned\x07\x1b[2J\u202egnp.exe\x9b31m\r\n'


class Hostile:
    """Answers as the first part of the path says."""

    def __init__(self):
        self.socket = socket.create_server(('127.0.0.1', 0))
        self.port = self.socket.getsockname()[1]
        self.requests = []
        self.streams = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                head = b''
                while b'\r\n\r\n' not in head:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    head += piece
                self.requests.append(head.decode(errors='replace'))
                mode = head.split()[1].split(b'/')[1].decode()
                getattr(self, 'do_' + mode)(connection, head.decode(errors='replace'))
        except OSError:
            pass

    def answer(self, connection, body, kind='application/json', status='200 OK', more=''):
        body = body.encode() if isinstance(body, str) else body
        connection.sendall(f'HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {len(body)}\r\n'
                           'Connection: close\r\n\r\n'.encode() + body)

    def do_huge(self, c, head):
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"rules":["')
        while True:
            c.sendall(b'x' * 65536)

    def do_head(self, c, head):
        c.sendall(b'HTTP/1.1 200 OK\r\n')
        while True:
            c.sendall(b'X: ' + b'y' * 60000 + b'\r\n')

    def do_hang(self, c, head):
        time.sleep(60)

    def do_drip(self, c, head):
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n')
        while True:
            c.sendall(b' ')
            time.sleep(0.1)

    def do_cut(self, c, head):
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"rules":[')

    def do_bad(self, c, head):
        self.answer(c, '{"rules": [}')

    def do_deep(self, c, head):
        self.answer(c, '[' * 1000000)

    def do_html(self, c, head):
        self.answer(c, '<h1>Welcome</h1>', 'text/html')

    def do_login(self, c, head):
        self.answer(c, 'moved', 'text/html', '302 Found', 'Location: http://192.0.2.1/login\r\n')

    def do_kinds(self, c, head):  # all that is asked for, of other types
        self.answer(c, json.dumps({k: v for k in ('rules', 'modules', 'sources', 'sinks', 'entries', 'states', 'dead_letters',
                                                  'ready', 'reasons', 'versions', 'tests', 'warnings', 'text', 'name')
                                   for v in [[None, 3, 'x', [], {}, {'name': 3, 'stats': [], 'key': 4, 'events': 'no',
                                             'runs': [7, {'events': [1]}], 'n_runs': -1e300, 'lag_seconds': 1e308,
                                             'state_bytes': -5, 'line': 9223372036854775807}]]}))

    def do_escape(self, c, head):
        text = ESCAPE
        self.answer(c, json.dumps({
            'rules': [{'name': text, 'module': text, 'body': text, 'severity': text, 'stats': {text: text}}],
            'modules': [{'name': text, 'origin': text, 'etag': text}], 'sources': [{'name': text, 'kind': text}],
            'entries': [{'who': text, 'time': text}], 'name': text, 'state_bound': text, 'text': text, 'key': [text],
            'states': [{'key': {text: text}, 'frontier': text, text: {text: [text]},
                        'runs': [{'start': text, 'at': [text], 'events': [{'event': {text: text}}]}]}],
            'dead_letters': [{'origin': text, 'text': text, 'reason': text}], 'ready': False,
            'reasons': [{'reason': text, 'detail': text}], 'version': text}, ensure_ascii=False).replace('\\u009b', '\x9b'))

    def do_problem(self, c, head):
        self.answer(c, json.dumps({
            'type': 'urn:tocsin:problem:rules-do-not-compile', 'title': ESCAPE, 'detail': ESCAPE,
            'diagnostics': [{'level': 'error', 'file': ESCAPE, 'line': 1, 'column': 1, 'length': 3, 'message': ESCAPE,
                             'hint': ESCAPE},
                            {'level': 'error', 'file': 'x', 'line': -7, 'column': 2 ** 62, 'length': -1, 'message': 'm'}] * 300,
        }), 'application/problem+json', '422 Unprocessable')

    def do_stream(self, c, head):
        """300 alerts; the connection breaks anywhere, with rests of events, answers of 503 and silence between."""
        seen = re.search(r'Last-Event-ID: (\d+)', head)
        self.streams += 1
        if self.streams % 4 == 3:
            self.answer(c, '{"title":"Not now"}', 'application/problem+json', '503 No', 'Retry-After: 1\r\n')
            return
        first = int(seen[1]) + 1 if seen else 1
        text = f'retry: 1000\nid: {first - 1}\n\n:\n' + ''.join(
            f'id: {n}\nevent: alert\ndata: ' + json.dumps({'number': n, 'rule': f'r{n}', 'severity': 'high', 'time': 't'}) + '\n\n'
            for n in range(first, 301))
        if first == 1:
            text += 'id: 300\nevent: gap\ndata: {"lost":7,"first":300}\n\n'
        self.asked = head
        data = text.encode()[:1000 + 3777 * self.streams ** 2]
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
        for at in range(0, len(data), 997):
            piece = data[at:at + 997]
            c.sendall(f'{len(piece):x}\r\n'.encode() + piece + b'\r\n')
        if self.streams % 2:
            c.sendall(b'0\r\n\r\n')

    def do_behind(self, c, head):
        """Takes each piece at the fourth time: behind, not now, no answer."""
        key, length = re.search(r'Idempotency-Key: (\S+)', head)[1], int(re.search(r'Content-Length: (\d+)', head)[1])
        got = len(head.split('\r\n\r\n', 1)[1])
        while got < length:
            got += len(c.recv(65536))
        self.keys = getattr(self, 'keys', []) + [key]
        times = self.keys.count(key)
        if times == 1:
            self.answer(c, '{"title":"The engine is behind"}', 'application/problem+json', '429 Later')
        elif times == 2 or (times == 3 and len(set(self.keys)) == 1):
            self.answer(c, '{"title":"Not now"}', 'application/problem+json', '503 No', 'Retry-After: 0\r\n')
        elif times > 3:
            self.answer(c, '{"accepted":2,"rejected":[]}')

    def do_broken(self, c, head):
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\nhalf')

    def do_silent(self, c, head):
        self.streams += 1
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n')
        if self.streams > 1:
            for _ in range(4):  # a heartbeat is little, but it is no silence
                time.sleep(1)
                c.sendall(b':\n')
            c.sendall(b'id: 1\nevent: alert\ndata: {"number":1,"rule":"late"}\n\n')
        time.sleep(30)

    def do_lines(self, c, head):
        """Pages of alerts, some empty; one of them goes in circles."""
        cursor = re.search(r'cursor=(\w+)', head)
        page = int(cursor[1]) if cursor else 0
        body = '' if page % 2 else ''.join(json.dumps({'number': page * 10 + i, 'rule': f'p{page}'}) + '\n' for i in range(10))
        self.answer(c, body, 'application/x-ndjson', more=f'Tocsin-Next: {min(page + 1, 6)}\r\n')

    def do_text(self, c, head):
        self.answer(c, ESCAPE.encode() + b'\xff\xfe', 'text/plain')


COMMANDS = ['status', 'rules list', 'rules show x', 'rules stats', 'rules explain x', 'rules enable x', 'rules test',
            'rules reload', 'modules list', 'modules get x', 'modules versions x', 'modules diff x', 'modules delete x',
            'modules rollback x', 'modules put FILE', 'modules put FILE FILE2', 'modules check FILE', 'state show x --key y',
            'sources', 'sinks', 'audit', 'dead-letters list', 'dead-letters drop 1', 'checkpoint now', 'checkpoint list',
            'sinks enable x', 'tables list', 'tables show x', 'tables get x', 'tables get --csv x', 'tables put x FILE',
            'tables versions x', 'drain', 'resume', 'alerts', 'tail --count 1', 'post web FILE']


def part_hostile():
    h = Hostile()
    where = http_daemon.work = directory()
    for name in ('f.rule', 'g.rule'):
        open(os.path.join(where, name), 'w').write(MARK)

    def each(mode, codes, commands=COMMANDS):
        for command in commands:
            args = [w.replace('FILE2', 'g.rule').replace('FILE', 'f.rule') for w in command.split()]
            p = subprocess.run([TOCSIN, *args, '--url', f'http://127.0.0.1:{h.port}/{mode}',
                                *(['--give-up', '1s'] if args[0] == 'post' else [])],
                               capture_output=True, cwd=where, timeout=60, env=clean(), stdin=subprocess.DEVNULL)
            check(p.returncode in codes, f'{mode}: {command}: {p.returncode}\n{p.stdout[-500:]}\n{p.stderr[-3000:]}')
            check(p.returncode == 0 or p.stderr or p.stdout, f'{mode}: {command}: nothing is said')
            check(not HIDDEN.search(p.stderr.decode(errors='replace')), f'{mode}: {command}: {p.stderr[:300]}')
    for mode, codes in (('kinds', (0, 1, 3)), ('problem', (1, 3)), ('escape', (0, 1, 3))):
        each(mode, codes)
    # these go the same way for all
    for i, (mode, codes) in enumerate((('bad', (3, 1)), ('deep', (3, 1)), ('html', (0, 1, 3)), ('text', (0, 1, 3)), ('login', (1, 3)))):
        each(mode, codes, COMMANDS[i % 3::3])
    check(not any('192.0.2.1' in r for r in h.requests), 'no redirect is followed')
    url = f'http://127.0.0.1:{h.port}'
    # a stream that breaks again and again: each alert once, in their order
    out, err = tool('tail', '--url', url + '/stream', '--count', '300', '--rule', 'a*', '--since', '2027-01-01T00:00:00Z')
    check(re.findall(r'\br(\d+)', out) == [str(n) for n in range(1, 301)] and h.streams > 3, f'{h.streams}: {out[-300:]}')
    check('rule=a%2A&since=2027-01-01T00%3A00%3A00Z' in h.asked and 'trying again' in err and 'it is there again' in err, err)
    h.streams = 0
    check('late' in tool('tail', '--url', url + '/silent', '--count', '1', '--timeout', '2s')[0], 'a connection that is dead')
    check(h.streams == 2, f'{h.streams} streams: a heartbeat is no silence')
    tool('tail', '--url', url + '/huge', '--max-answer', '1MiB', code=3)
    _, err = tool('post', 'web', '--url', url + '/behind', '--piece', '1', '--key', 'k', stdin='{"a":1}\n{"a":2}\n')
    check(h.keys == ['k-1'] * 4 + ['k-2'] * 4 and '4 accepted' in err and err.count('trying again') == 2, f'{h.keys} {err}')
    _, err = tool('post', 'web', '--url', url + '/behind', '--give-up', '100ms', '--key', 'x', stdin='{}\n', code=1)
    check('Not now' in err, err)
    for mode, code in (('broken', 3), ('problem', 1), ('hang', 3)):
        tool('checkpoint', 'export', os.path.join(where, 'half'), '--url', f'{url}/{mode}', '--timeout', '1s', code=code)
        check(not os.path.exists(os.path.join(where, 'half')), 'half of one is none')
    # pages, till there is no next that is another one
    out, _ = tool('alerts', '--url', url + '/lines', '--limit', 'all')
    check(re.findall(r'\bp(\d)', out) == [str(p) for p in (0, 2, 4, 6) for _ in range(10)], out)
    check(len(tool('alerts', '--url', url + '/lines', '--limit', '15', '--json')[0].splitlines()) == 15, 'so many')
    for mode, said in (('huge', 'longer than'), ('head', 'longer than'), ('hang', 'timed out'), ('drip', 'timed out'),
                       ('cut', '')):
        _, err = tool('rules', '--url', f'{url}/{mode}', '--timeout', '1s', '--max-answer', '1MiB', code=3)
        check(said.lower() in err.lower(), f'{mode}: {err}')
    # on a terminal
    for command in ('status', 'rules', 'rules show x', 'modules list', 'modules get x', 'state show x', 'sources', 'audit',
                    'dead-letters list', 'rules explain x'):
        for json_too in ([], ['--json']):
            for mode in ('escape', 'text', 'problem') if command in ('status', 'rules') else ('escape',):
                out = on_terminal(*command.split(), *json_too, '--url', f'{url}/{mode}')
                plain = re.sub('\x1b\\[[0-9;]*m', '', out) if not json_too else out
                check(not HIDDEN.search(plain), f'{mode}: {command} {json_too}: {plain!r}')
    out = on_terminal('rules', '--json', '--url', f'{url}/escape')
    check(json.loads(out)['rules'][0]['name'] == ESCAPE, 'what is escaped is the same JSON')


if __name__ == '__main__':
    http_daemon.run_parts({'hostile': part_hostile}, sys.argv[3:])
