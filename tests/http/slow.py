#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten thousand slow connections; requests that are written to be misread.

    slow.py SERVE [PART...]

SERVE is the program of serve.c.
"""
import os
import resource
import shutil
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import server as base
from server import Reader, Server, ask, check, head

MANY = 10000
SPARE = 500  # descriptors beside those of the connections, for each side


def part_many():
    """They send a byte now and then, and others are served; there is room for them or not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    many = MANY if hard == resource.RLIM_INFINITY else min(MANY, hard - SPARE)
    if many < MANY:
        print(f'NOT TESTED: {MANY} slow connections: the hard limit of open files is {hard} (ulimit -Hn); '
              f'{many} were tested')
        check(not os.environ.get('CI'), 'CI must test all of them')
    for connections, seconds in ((many * 4 // 3 + 100, 60), (many // 4, 60)):
        server = Server('--connections', connections, '--seconds', seconds)
        slow, worst, served, closed = [], 0.0, 0, 0
        text = b'GET /v1/rules HTTP/1.1\r\nHost: localhost\r\nX: ' + b'y' * 100

        def others():
            nonlocal worst, served
            at = time.monotonic()
            check(ask(server, 'GET', '/v1/rules')[0] == 200, 'served while there are slow ones')
            served += 1
            worst = max(worst, time.monotonic() - at)
        begin = time.monotonic()
        while len(slow) < many:
            for _ in range(250):
                s = socket.socket()
                s.setblocking(False)
                s.connect_ex(server.at)
                slow.append([s, 0])
            time.sleep(0.01)
            if len(slow) % 1000 == 0:
                others()
        for turn in range(3):  # a byte of each, now and then
            for i, one in enumerate(slow):
                try:
                    if one[0]:
                        one[1] += one[0].send(text[one[1]:one[1] + 1])
                except BlockingIOError:
                    pass  # it is not taken yet
                except OSError:
                    one[0].close()
                    one[0] = None
                    closed += 1
                if i % 2500 == 0:
                    others()
        took = time.monotonic() - begin
        there = sum(1 for s, sent in slow if s)
        print(f'{many} slow connections of {connections} that there may be, {there} of them are still there after '
              f'{took:.1f} s: {served} others were served, the slowest answer took {worst * 1000:.0f} ms')
        if connections > many:
            check(closed == 0, f'{closed} were closed, and there was room')
        for s, _ in slow:
            if s:
                s.close()
        check(ask(server, 'GET', '/v1/rules')[0] == 200, 'served when they are gone')
        server.end()


# ---- what is written to be misread ------------------------------------------------------------------

def answers(server, *parts, wait=0.02):
    """Statuses of all answers until the connection is closed, or a GET of ours at the end is answered (None if the
    connection was closed before)."""
    s = server.connect(timeout=120)
    reader, got = Reader(s), []
    try:
        for part in parts:
            s.sendall(part)
            if len(parts) > 1:
                time.sleep(wait)
        s.shutdown(socket.SHUT_WR)
        while True:
            status = reader.answer()[0]
            if status != 100:
                got.append(status)
    except (OSError, EOFError, ValueError, IndexError):
        pass
    s.close()
    return got


POOL = ThreadPoolExecutor(32)
INNER = head('GET', '/v1/rules/inner')


def each(server, cases):
    """Each case, whose second item is parts of a request, with its answers. What is never whole is waited for: all
    at once."""
    return POOL.map(lambda case: (case, answers(server, *case[1])), list(cases))


def put(headers, body=b'', version='1.1'):
    return (f'PUT /v1/modules/a HTTP/{version}\r\nHost: localhost\r\n' + ''.join(h + '\r\n' for h in headers) +
            '\r\n').encode() + body


def chunk(data):
    return b'%x\r\n%s\r\n' % (len(data), data)


def shaped():
    return Server('--body', 100000, '--seconds', 2)


def part_lengths():
    """Two lengths, a length and pieces: refused, and nothing behind it is a request."""
    server = shaped()
    cases = (
            (['Content-Length: 5', 'Transfer-Encoding: chunked'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding: chunked', f'Content-Length: {len(INNER)}'], b'0\r\n\r\n' + INNER),
            (['Content-Length: 0', f'Content-Length: {len(INNER)}'], INNER),
            ([f'Content-Length: {len(INNER)}', 'Content-Length: 0'], INNER),
            ([f'Content-Length: {len(INNER)}, 0'], INNER),
            (['Content-Length: +3'], b'abc' + INNER), (['Content-Length: 0x3'], b'abc' + INNER),
            (['Content-Length: -1'], INNER), (['Content-Length: 3 3'], b'abc' + INNER), (['Content-Length:'], INNER),
            (['Content-Length: 18446744073709551619'], b'abc' + INNER),
            (['Transfer-Encoding: xchunked'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding: chunked, identity'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding: gzip, chunked'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding: identity'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding:\x0bchunked'], b'0\r\n\r\n' + INNER),
            (['Transfer-Encoding : chunked'], b'0\r\n\r\n' + INNER),
            (['Content-Length : 3'], b'abc' + INNER),
            ([' Transfer-Encoding: chunked'], b'0\r\n\r\n' + INNER),
            (['X: y', ' Content-Length: 3'], b'abc' + INNER),
            (['Content Length: 3'], b'abc' + INNER),
            (['X\x00: y'], INNER), (['no colon'], INNER))
    for (headers, _), got in each(server, ((headers, [put(headers, body)]) for headers, body in cases)):
        check(got in ([400], [413], []), f'{headers}: {got}')
    server.end()


def part_pieces():
    server = shaped()
    good = chunk(b'abc') + chunk(b'defg')
    check(answers(server, put(['Transfer-Encoding: chunked'], good + b'0\r\n\r\n' + INNER)) == [200, 200], 'pieces, and one more')
    check(answers(server, put(['Transfer-Encoding: CHUNKED'], good + b'0\r\n\r\n')) == [200], 'in capitals')
    check(answers(server, put(['Transfer-Encoding: chunked'], b'3;a=b;c="d"\r\nabc\r\n0\r\nX: trailer\r\n\r\n') + INNER) ==
          [200, 200], 'an extension, a trailer')
    check(answers(server, *[put(['Transfer-Encoding: chunked'])], *[bytes([b]) for b in chunk(b'x') + b'0\r\n\r\n'],
                  wait=0.005) == [200], 'byte by byte')
    cases = (b'-1\r\nabc\r\n', b'fffffffffffffffff\r\nabc', b'3\r\nabcd\r\n0\r\n\r\n', b'3\nabc\n0\n\n' + b'g\r\n', b'\r\n',
                 b'0x3\r\nabc\r\n0\r\n\r\n', b' 3\r\nabc\r\n0\r\n\r\n', b'3 \x00\r\nabc\r\n0\r\n\r\n', b'3;' + b'x' * 50000,
                 b'0\r\n' + b'X: y\r\n' * 20000 + b'\r\n')
    for (body, _), got in each(server, ((body, [put(['Transfer-Encoding: chunked'], body), INNER]) for body in cases)):
        check(200 not in got or got == [200], f'pieces {body[:30]!r}: {got}')
    check(answers(server, put(['Transfer-Encoding: chunked'], chunk(b'x') * 60000 + b'0\r\n\r\n')) == [200], 'many small pieces')
    server.end()


def part_order():
    """What closes a connection, and who is asked first."""
    server = shaped()
    # the older version has no pieces; it is closed behind an answer
    check(answers(server, put(['Transfer-Encoding: chunked'], b'0\r\n\r\n' + INNER, version='1.0')) in ([400], []), 'pieces in 1.0')
    check(answers(server, put(['Content-Length: 3'], b'abc', version='1.0') + INNER) == [200], 'closed behind 1.0')
    check(answers(server, put(['Content-Length: 3', 'Connection: keep-alive'], b'abc', version='1.0') + INNER) == [200, 200],
          'unless it is to stay')
    check(answers(server, head('GET', '/v1/rules', ['Connection: close']) + INNER) == [200], 'closed as it asked')
    # who is asked first
    for more, want in ((['Content-Length: 3'], 200), (['Content-Length: 999999'], 413), (['Content-Length: 3', 'Content-Encoding: br'], 415)):
        s = server.connect(timeout=120)
        s.sendall(put(['Expect: 100-continue', *more]))
        reader = Reader(s)
        status = reader.answer()[0]
        if want == 200:
            check(status == 100, f'goes on: {status}')
            s.sendall(b'abc')
            status = reader.answer()[0]
        check(status == want, f'Expect with {more}: {status}')
        s.close()
    check(answers(server, put(['Expect: something', 'Content-Length: 0'])) in ([417], [400], [200]), 'another expectation')
    server.end()


def part_targets():
    """Targets, methods, headers; many requests at once."""
    server = shaped()
    cases = (('http://localhost/v1/rules', [200]), ('http://evil.example/v1/rules', [403]), ('localhost:80', [400]),
                         ('/v1/modules/a%2Fb%2fc', [200]), ('/v1/modules/a%2F..%2Fb', [200]), ('/v1%2Frules', [404]),
                         ('/v1/rules%00', [400]), ('/v1/rules/%00', [400]), ('/v1/rules?x%00=1', [400]), ('/v1/rules/%c0%af', [400]),
                         ('/v1/rules/%2e%2e/', [400]), ('/v1//rules', [404]), ('/v1/./rules', [400]), ('/v1/rules#x', [404, 400]),
                         ('/v1/rules/%25%32%65', [200]), ('/v1/rules/a%0d%0aX:%20y', [400]), ('/v1/rules/a\tb', [400]),
                         ('/v1/rules?' + '&' * 3000, [200]), ('/v1/audit?' + 'limit=1&' * 300, [400]),
                         ('/' + '/'.join('abcdefghijkl'), [400]), ('/v1/state/a?key=' + 'k' * 20000, [200]), ('?', [400]), ('', [400]))
    for (target, _, want), got in each(server, ((target, [head('GET', target)], want) for target, want in cases)):
        check(len(got) <= 1 and set(got) <= set(want + [400] if not target.isprintable() else want), f'{target[:60]}: {got}')
    # methods and answers without a body
    for path, method, want in (('/v1/rules', 'HEAD', 200), ('/v1/nothing', 'HEAD', 404), ('/v1/rules', 'OPTIONS', 204),
                               ('/v1/rules', 'CONNECT', 405), ('/v1/rules', 'X' * 3000, 405), ('/v1/events/a', 'HEAD', 405)):
        s = server.connect(timeout=120)
        s.sendall(head(method, path) + head('GET', '/healthz'))
        reader = Reader(s)
        first = reader.answer(method != 'HEAD')[0]
        second = reader.answer()[0]
        check((first, second) == (want, 200), f'{method} {path}: {first}, then {second}')
        s.close()
    # headers
    cases = (('X', 'a' * 30000, (200, 400, 413, 431)), ('X', 'a' * 200000, (400, 413, 431)),
                              ('If-Match', '"' * 5000, (200,)), ('Authorization', 'Bearer ' + 'x' * 10000, (200,)),
                              ('Idempotency-Key', 'k' * 10000, (200,)), ('Cookie', 'a=b; ' * 1000, (200,)))
    for (name, _, want), got in each(server, ((name, [head('GET', '/v1/rules', [f'{name}: {value}'])], want)
                                     for name, value, want in cases)):
        check(len(got) <= 1 and set(got) <= set(want), f'{name}: {got}')
    got = answers(server, head('GET', '/v1/rules', [f'X{i}: y' for i in range(3000)]))
    check(set(got) <= {200, 400, 413, 431}, f'many headers: {got}')
    # many requests at once, and one who leaves in their midst
    check(answers(server, INNER * 500) == [200] * 500, 'five hundred in a row')
    for _ in range(20):
        s = server.connect()
        s.sendall(INNER * 200)
        s.close()
    check(ask(server, 'GET', '/healthz')[0] == 200, 'served after all of it')
    server.end()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    for part in sys.argv[2:] or PARTS:
        began = time.monotonic()
        PARTS[part]()
        print(f'{part}: {time.monotonic() - began:.1f} s')
    print(f'{base.checks} checks')
    for path in base.made:
        shutil.rmtree(path, ignore_errors=True)
