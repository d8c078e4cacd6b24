#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP server from outside: limits, slow clients, busy connections, tokens, TLS.

    server.py SERVE PART

SERVE is the program of serve.c.
"""
import atexit
import gzip
import hashlib
import json
import os
import selectors
import socket
import ssl
import subprocess
import sys
import shutil
import tempfile
import time
import zlib

SERVE = sys.argv[1]
checks = 0
made = []  # directories
running = []  # processes
atexit.register(lambda: [p.kill() for p in running if p.poll() is None])


def directory():
    made.append(tempfile.mkdtemp(prefix='tocsin-http-'))
    return made[-1]


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        sys.exit(f'FAIL: {what}')


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([SERVE, *map(str, options)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(self.process)
        address = self.process.stdout.readline().strip()
        if not address:
            self.why = self.process.stderr.read()
            self.process.wait()
            return
        host, _, port = address.rpartition(':')
        self.at = (host.strip('[]'), int(port))

    def connect(self, timeout=60):
        s = socket.create_connection(self.at, timeout=timeout)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def renew(self):
        self.process.stdin.write('renew\n')
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(60)
        check(code == 0, f'the server ended with {code}: {self.process.stderr.read()}')


def head(method, path, headers=(), host='localhost'):
    lines = [f'{method} {path} HTTP/1.1', f'Host: {host}', *headers]
    return ('\r\n'.join(lines) + '\r\n\r\n').encode()


class Reader:
    """Answers from a connection, one after the other."""

    def __init__(self, s):
        self.s, self.data = s, b''

    def more(self):
        got = self.s.recv(65536)
        if not got:
            raise EOFError
        self.data += got

    def answer(self, body=True):
        while b'\r\n\r\n' not in self.data:
            self.more()
        top, _, self.data = self.data.partition(b'\r\n\r\n')
        lines = top.decode('latin-1').split('\r\n')
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(':')
            headers[name.lower()] = value.strip()
        length = int(headers.get('content-length', 0)) if body else 0
        while len(self.data) < length:
            self.more()
        text, self.data = self.data[:length], self.data[length:]
        return int(lines[0].split()[1]), headers, text


def ask(server, method, path, body=None, headers=(), host='localhost'):
    s = server.connect()
    headers = list(headers)
    if body is not None:
        headers.append(f'Content-Length: {len(body)}')
    s.sendall(head(method, path, headers, host) + (body or b''))
    try:
        return Reader(s).answer(method != 'HEAD')
    finally:
        s.close()


# ---- busy connections ---------------------------------------------------------------------------

PATIENCE = 240  # seconds; what waits for a timer of the server at each turn does not come to its end in them


def busy(server, n, answers):
    """Requests per second over n connections, each with a request under way all the time."""
    request = head('GET', '/v1/rules')
    poll = selectors.DefaultSelector()
    conns = [server.connect() for _ in range(n)]
    for s in conns:
        s.setblocking(False)
        poll.register(s, selectors.EVENT_READ)
    # all at once: exactly n are ready together
    for s in conns:
        s.send(request)
    done, begin = 0, time.monotonic()
    while done < answers:
        ready = poll.select(1)
        for key, _ in ready:
            data = key.fileobj.recv(65536)
            check(data, 'a busy connection stays open')
            check(b'200 OK' in data, f'an answer: {data!r}')
        done += len(ready)
        check(time.monotonic() - begin < PATIENCE, f'{n} busy connections got {done} answers of {answers}')
        for key, _ in ready:
            key.fileobj.send(request)
    rate = done / (time.monotonic() - begin)
    for s in conns:
        s.close()
    return rate


def part_busy():
    """Connections that are ready together do not wait for each other: the library stood still at some numbers of them."""
    server = Server()
    rates = {n: busy(server, n, 50 * n) for n in (16, 127, 128, 129, 256, 512)}
    print('requests/s: ' + ', '.join(f'{n}: {rate:.0f}' for n, rate in rates.items()))
    server.end()


# ---- slow clients -------------------------------------------------------------------------------

def part_slow():
    """Clients that are too slow go; ten thousand of them: slow.py."""
    # One that sends a byte now and then is not let do so for ever, in header nor body.
    server = Server('--seconds', 1)
    for begin_with in (b'', head('PUT', '/v1/modules/a', ['Content-Length: 1000'])):
        s = server.connect()
        s.sendall(begin_with)
        end, closed = time.monotonic() + 240, False
        try:
            while time.monotonic() < end:
                s.sendall(b'G')
                time.sleep(0.2)
                s.settimeout(0.01)
                try:
                    if not s.recv(1):
                        closed = True
                        break
                except TimeoutError:
                    pass
                s.settimeout(60)
        except OSError:
            closed = True
        check(closed, 'a slow request was waited for')
        s.close()
    # One that does not take its answers.
    s = server.connect()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    try:
        for _ in range(20000):
            s.settimeout(1)
            s.sendall(head('GET', '/v1/openapi.json'))
    except OSError:
        pass
    check(ask(server, 'GET', '/v1/rules')[0] == 200, 'served beside one that takes nothing')
    s.close()
    server.end()
    # Many that do not take large answers: beyond the limit there are only short ones.
    server = Server('--bodies', 40 << 20)
    held = []
    for _ in range(20):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(server.at)
        s.sendall(head('GET', '/v1/rules/big'))
        held.append(s)
    statuses = []
    for s in held:
        s.settimeout(60)
        statuses.append(int(s.recv(12).split()[1]))
    check(statuses.count(200) >= 4 and statuses.count(503) >= 10, f'{statuses}')
    check(ask(server, 'GET', '/v1/rules')[0] == 200, 'short answers')
    for s in held:
        s.close()
    deadline = time.monotonic() + 60
    while ask(server, 'GET', '/v1/rules/big')[0] != 200:
        check(time.monotonic() < deadline, 'large answers again')
        time.sleep(0.05)
    server.end()


# ---- limits and what is no request -----------------------------------------------------------------

def part_limits():
    """Of bodies."""
    server = Server('--body', 100000, '--bodies', 300000)
    put = lambda body, *headers: ask(server, 'PUT', '/v1/modules/a', body, headers)
    status, _, body = put(b'x' * 100000)
    check(status == 200 and json.loads(body)['bytes'] == 100000, 'a body of the limit')
    check(put(b'x' * 100001)[0] == 413, 'a body beyond the limit')
    # of which the length is not said
    s = server.connect()
    s.sendall(head('PUT', '/v1/modules/a', ['Transfer-Encoding: chunked']))
    for _ in range(11):
        s.sendall(b'2710\r\n' + b'y' * 10000 + b'\r\n')
    s.sendall(b'0\r\n\r\n')
    check(Reader(s).answer()[0] == 413, 'a body in pieces beyond the limit')
    s.close()
    # gzip
    packed = gzip.compress(b'hello ' * 1000)
    status, _, body = put(packed, 'Content-Encoding: gzip')
    check(status == 200 and json.loads(body)['bytes'] == 6000, 'a packed body')
    check(put(gzip.compress(b'a') + gzip.compress(b'b'), 'Content-Encoding: gzip')[0] == 200, 'two members')
    bomb = zlib.compressobj(9, wbits=31)
    bomb = bomb.compress(b'\0' * 50_000_000) + bomb.flush()
    check(len(bomb) < 100000, 'the bomb is small')
    check(put(bomb, 'Content-Encoding: gzip')[0] == 413, 'a bomb')
    for broken in (packed[:-5], packed[:20] + b'xxxxxx' + packed[26:], b'plain', packed + b'junk', b'\x1f'):
        check(put(broken, 'Content-Encoding: gzip')[0] == 400, f'broken gzip {broken[:8]!r}')
    check(put(b'x', 'Content-Encoding: br')[0] == 415, 'another coding')
    # more bodies than may be under way
    for attempt in range(10):
        held = []
        for _ in range(3):
            s = server.connect()
            s.sendall(head('PUT', '/v1/modules/a', ['Content-Length: 99999']) + b'x' * 99000)
            held.append(s)
        time.sleep(0.1 * attempt + 0.1)  # until they are in; nothing says when
        status, headers, _ = put(b'y' * 5000)
        for s in held:
            s.close()
        if status == 503:
            break
    check(status == 503 and headers.get('retry-after'), f'too many bodies: {status}')
    deadline = time.monotonic() + 60
    while put(b'y' * 5000)[0] != 200:
        check(time.monotonic() < deadline, 'room for bodies again')
        time.sleep(0.05)
    server.end()


def part_requests():
    """Headers, targets, methods; several on one connection; what is no request."""
    server = Server()
    # headers
    check(ask(server, 'GET', '/v1/rules', headers=['X: ' + 'a' * 40000])[0] in (413, 431, 400), 'a large header')
    check(ask(server, 'GET', '/v1/rules/' + 'a' * 5000)[0] == 200, 'a long name')
    # targets
    for target, wanted in (('/v1/rules/%zz', 400), ('/v1/rules/%00', 400), ('/v1/rules/%ff', 400),
                           ('/v1/rules/..', 400), ('/v1/rules/%2e%2e', 400), ('/v1/rules/', 404), ('//', 404),
                           ('/', 404), ('/v1', 404), ('/v1/rules/a/b', 404), ('/v1/rules/a/b/c/d/e/f/g/h/i/j', 400),
                           ('/v1/rules?what=1', 400), ('/v1/audit?limit=x', 400), ('/v1/audit?limit=1&limit=2', 400),
                           ('/v1/rules:reload?dry_run=maybe', 405), ('/v1/modules/a%2Fb', 200),
                           ('/v1/rules/%E2%82%AC', 200), ('*', 400), ('http://localhost/v1/rules', 200)):
        status = ask(server, 'GET', target)[0]
        check(status == wanted, f'{target}: {status} instead of {wanted}')
    # methods
    for method, wanted in (('PATCH', 405), ('TRACE', 405), ('OPTIONS', 204), ('get', 405), ('DELETE', 405)):
        status, headers, _ = ask(server, method, '/v1/rules')
        check(status == wanted and headers.get('allow') == 'GET, HEAD', f'{method}: {status}')
    check(ask(server, 'PUT', '/v1/modules')[1].get('connection', '').lower() != 'close', 'kept alive')
    status, headers, text = ask(server, 'HEAD', '/v1/rules')
    check(status == 200 and int(headers['content-length']) > 0 and not text, 'HEAD')
    check(ask(server, 'POST', '/v1/rules:reload', b'x')[0] == 400, 'a body where there is none')
    # keep-alive, several requests at once on one connection, also after a problem
    s = server.connect()
    s.sendall(head('GET', '/healthz') + head('GET', '/nothing') + head('GET', '/v1/rules') * 3)
    reader = Reader(s)
    check([reader.answer()[0] for _ in range(5)] == [200, 404, 200, 200, 200], 'requests in a row')
    s.close()
    # what is no request; a client that is half closed is waited for until its time is over
    server.end()
    server = Server('--seconds', 1)
    for junk in (b'\x16\x03\x01\x02\x00\x01', b'GET\r\n\r\n', b'\r\n' * 100, b'GET / HTTP/9.9\r\n\r\n',
                 b'A' * 70000, head('GET', '/v1/rules', ['Content-Length: -1']),
                 head('PUT', '/v1/modules/a', ['Content-Length: 99999999999999999999999']),
                 head('PUT', '/v1/modules/a', ['Transfer-Encoding: chunked']) + b'zz\r\n'):
        s = server.connect()
        try:
            s.sendall(junk)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
        except OSError:
            pass
        s.close()
    check(ask(server, 'GET', '/healthz')[0] == 200, 'served after junk')
    server.end()


# ---- who may ------------------------------------------------------------------------------------

def routes(server):
    api = json.loads(ask(server, 'GET', '/v1/openapi.json')[2])
    for path, methods in api['paths'].items():
        for method, route in methods.items():
            yield method.upper(), path, route


COVERS = {'open': {'open'}, 'read': {'open', 'read'}, 'rules': {'open', 'read', 'rules'},
          'ingest': {'open', 'ingest'}, 'admin': {'open', 'read', 'rules', 'ingest', 'admin'}}


def part_tokens():
    work = directory()
    path = os.path.join(work, 'tokens')
    secret = {role: f'secret-of-{role}' for role in ('read', 'rules', 'ingest', 'admin')}
    line = lambda role, text: f'the-{role} {role} {hashlib.sha256(text.encode()).hexdigest()}\n'
    with open(path, 'w') as f:
        f.write('# who may\n\n' + ''.join(line(role, text) for role, text in secret.items()))
    server = Server('--tokens', path)
    n = 0
    for method, target, route in routes(server):
        wanted = route['description'].split()[-1]
        target = target.replace('{name}', 'x')
        for role, token in [('open', None), ('open', 'wrong'), *secret.items()]:
            headers = [f'Authorization: Bearer {token}'] if token else []
            status, answer, body = ask(server, method, target, headers=headers, host='tocsin.example')
            may = wanted in COVERS[role]
            want = 200 if may else 401 if role == 'open' else 403
            check(status == want, f'{method} {target} as {role} ({token}): {status} instead of {want}')
            check(('www-authenticate' in answer) == (status == 401), 'a challenge')
            if status != 200:
                check(json.loads(body)['status'] == status and
                      answer['content-type'] == 'application/problem+json', 'a problem document')
            n += 1
    print(f'{n} requests: each role on each route')
    as_read = [f'Authorization: bearer  {secret["read"]}']
    check(json.loads(ask(server, 'GET', '/v1/rules', headers=as_read)[2])['who'] == 'the-read', 'who')
    for wrong in ('Basic abc', 'Bearer', 'Bearer ', secret['read'], f'Bearer {secret["read"]}x'):
        check(ask(server, 'GET', '/v1/rules', headers=[f'Authorization: {wrong}'])[0] == 401, wrong)
    # rotated
    with open(path, 'w') as f:
        f.write(line('admin', 'new'))
    check(server.renew() == 'renewed', 'renewed')
    check(ask(server, 'GET', '/v1/rules', headers=as_read)[0] == 401, 'an old token')
    check(ask(server, 'GET', '/v1/rules', headers=['Authorization: Bearer new'])[0] == 200, 'a new token')
    for text in ('x y z\n', 'a read 12\n', '# none\n', line('admin', 'new').strip() + ' more\n', 'a root ' + 'a' * 64):
        with open(path, 'w') as f:
            f.write(text)
        check(server.renew().startswith('not renewed'), f'refused: {text}')
    check(ask(server, 'GET', '/v1/rules', headers=['Authorization: Bearer new'])[0] == 200, 'the token stays')
    server.end()
    # Without tokens: loopback alone, no browser.
    check('loopback' in Server('--listen', '0.0.0.0:0').why, 'not beyond loopback')
    check('HOST:PORT' in Server('--listen', '7070').why, 'no address')
    server = Server()
    for host, wanted in (('localhost', 200), ('localhost:7070', 200), ('127.0.0.1:1', 200), ('[::1]:80', 200),
                         ('LOCALHOST', 200), ('127.1.2.3', 200), ('evil.example', 403), ('localhost.evil.example', 403),
                         ('127.0.0.1.evil.example', 403), ('128.0.0.1', 403), ('', 403), ('localhost:80:80', 403),
                         ('[::1]x', 403), ('localhostx', 403)):
        status = ask(server, 'GET', '/v1/rules', host=host)[0]
        check(status == wanted, f'Host: {host}: {status} instead of {wanted}')
    for target, wanted in (('http://localhost:7070/v1/rules', 200), ('HTTP://127.0.0.1/v1/rules', 200),
                           ('http://evil.example/v1/rules', 403), ('http://localhost/v1/none', 404), ('http:///v1/rules', 403)):
        status = ask(server, 'GET', target)[0]
        check(status == wanted, f'{target}: {status} instead of {wanted}')
    check(ask(server, 'GET', '/v1/rules', headers=['Origin: http://localhost'])[0] == 403, 'an origin')
    check(ask(server, 'GET', '/v1/rules', headers=['Host: localhost'], host='evil.example')[0] in (400, 403),
          'two hosts')
    for name in ('Idempotency-Key', 'Last-Event-ID', 'Authorization'):
        check(ask(server, 'GET', '/v1/rules', headers=[f'{name}: 1'])[0] == 200, f'one {name}')
        check(ask(server, 'GET', '/v1/rules', headers=[f'{name}: 1', f'{name}: 2'])[0] == 400, f'two of {name}')
    s = server.connect()
    s.sendall(b'GET /v1/rules HTTP/1.0\r\n\r\n')
    check(Reader(s).answer()[0] in (400, 403), 'no host')
    s.close()
    server.end()


def certificate(work, name):
    key, cert = os.path.join(work, name + '.key'), os.path.join(work, name + '.pem')
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1',
                    '-nodes', '-days', '2', '-subj', f'/CN={name}', '-addext', 'subjectAltName=DNS:localhost',
                    '-keyout', key, '-out', cert], check=True, stderr=subprocess.DEVNULL)
    return cert, key


def part_tls():
    work = directory()
    cert, key = certificate(work, 'first')
    other_cert, other_key = certificate(work, 'second')
    server = Server('--certificate', cert, '--key', key)

    def subject(trust):
        context = ssl.create_default_context(cafile=trust)
        with context.wrap_socket(server.connect(), server_hostname='localhost') as s:
            s.sendall(head('GET', '/v1/rules') + head('GET', '/v1/rules'))
            reader = Reader(s)
            check(reader.answer()[0] == 200 and reader.answer()[0] == 200, 'over TLS')
            return dict(x[0] for x in s.getpeercert()['subject'])['commonName']

    trust = os.path.join(work, 'trust.pem')
    with open(trust, 'w') as f:
        f.write(open(cert).read() + open(other_cert).read())
    check(subject(trust) == 'first', 'the first certificate')
    for _ in range(3):
        for name, new_cert, new_key in (('second', other_cert, other_key), ('first', cert, key)):
            if name == 'second':
                saved = open(cert).read(), open(key).read()
            text = (open(new_cert).read(), open(new_key).read()) if name == 'second' else saved
            open(cert, 'w').write(text[0])
            open(key, 'w').write(text[1])
            check(server.renew() == 'renewed', 'a certificate is renewed')
            check(subject(trust) == name, f'the certificate {name}')
    open(key, 'w').write(open(other_key).read())
    check('is not the key of' in server.renew(), 'a key of another certificate')
    open(key, 'w').write('nonsense')
    check(server.renew().startswith('not renewed'), 'no key')
    check(subject(trust) == 'first', 'the certificate stays')
    # one that speaks no TLS, one that begins a handshake and stops
    s = server.connect()
    s.sendall(head('GET', '/v1/rules'))
    s.settimeout(10)
    try:
        while s.recv(4096):
            pass
    except OSError:
        pass
    held = server.connect()
    held.sendall(b'\x16\x03\x01')
    check(subject(trust) == 'first', 'served beside a broken handshake')
    held.close()
    server.end()


def part_openapi():
    server = Server()
    status, headers, text = ask(server, 'GET', '/v1/openapi.json')
    check(status == 200 and headers['content-type'] == 'application/json', 'the document')
    api = json.loads(text)
    server.end()

    def references(part):
        if isinstance(part, dict):
            for key, value in part.items():
                if key == '$ref':
                    yield value
                else:
                    yield from references(value)
        elif isinstance(part, list):
            for value in part:
                yield from references(value)
    for reference in references(api):
        at = api
        for name in reference.removeprefix('#/').split('/'):
            check(name in at, f'{reference} leads nowhere')
            at = at[name]
    ids = []
    for path, methods in api['paths'].items():
        for method, route in methods.items():
            ids.append(route['operationId'])
            names = {p['name'] for p in route['parameters'] if p['in'] == 'path'}
            check(names == ({'name'} if '{name}' in path else set()), f'parameters of {path}')
            check('200' in route['responses'] and 'default' in route['responses'], f'answers of {path}')
    check(len(ids) == len(set(ids)), 'one operation twice')
    try:
        from openapi_spec_validator import validate
    except ImportError:
        print('NOTE: not looked at by openapi_spec_validator, which Python does not have here')
        return
    validate(api)
    print('openapi_spec_validator finds no fault')


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    for part in sys.argv[2:] or PARTS:
        PARTS[part]()
    print(f'{checks} checks')
    for path in made:  # what failed can be looked at
        shutil.rmtree(path, ignore_errors=True)
