# SPDX-License-Identifier: Apache-2.0
"""A daemon with an HTTP interface, in a directory of its own, and what tests that ask it share.

    TEST.py TOCSIND TOCSIN [PART...]

SEED: of what is random, in all tests that stand on this; `make check' sets it, else it is another one each time. A
failure says which. When processes run and die is left to the machine all the same.
"""
import atexit
import hashlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import shutil
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import skip  # noqa: E402

TOCSIND, TOCSIN = sys.argv[1], sys.argv[2]
checks = 0
SEED = int(os.environ.get('SEED') or 0) or random.randrange(1 << 30)
random.seed(SEED)
made = []  # directories
running = []  # processes, at most one a daemon at a time
atexit.register(lambda: [p.kill() for p in running if p.poll() is None])




def directory():
    made.append(tempfile.mkdtemp(prefix='tocsin-http-'))
    return made[-1]


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        log = os.path.join(work, 'log')
        if os.path.exists(log):
            print(open(log).read()[-3000:])
        sys.exit(f'FAIL: {what} (SEED={SEED})')


def until(what, condition, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    check(False, f'never: {what}')


FILES = 'source ev { file "ev*.ndjson" time ts lateness 0s idle 1h }\n'
PAIR = '''# %s
rule pair {
  match by k within 100s { %s: ev where n == 1  b: ev where n == 2 }
  emit { v = "%s" }
  test "two" { 0s ev {"k": "x", "n": 1}  1s ev {"k": "x", "n": 2}  expect 1 alerts }
}
'''
MARK = 'rule mark { match by k { a: ev where n == 99 } }\n'


class Daemon:
    """In a directory of its own; tokens: role by name; port: another one at each start, or the one that is given."""

    def __init__(self, http='', rules=None, tokens=None, source=FILES, engine='', port=0, **env):
        global work
        self.dir = work = directory()
        os.mkdir(self.path('rules'))
        for name, text in (rules or {}).items():
            self.write('rules/' + name, text)
        if tokens:
            self.write('tokens', ''.join(
                f'the-{role} {role} {hashlib.sha256(text.encode()).hexdigest()}\n' for role, text in tokens.items()))
            http += ' tokens file("tokens")'
        self.write('tocsin.conf', f'engine {{ rules "rules" state "state" {engine} }}\n'
                   + source +
                   'sink disk { file "alerts.ndjson" }\n'
                   f'http {{ listen "127.0.0.1:{port}" {http} }}\n')
        self.write('ev.ndjson', '')
        self.env = env
        self.start()

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode='w'):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), mode) as f:
            f.write(text)

    def log(self):
        return open(self.path('log')).read()

    def start(self):
        before = len(self.log()) if os.path.exists(self.path('log')) else 0
        with open(self.path('log'), 'a') as log:
            self.process = subprocess.Popen([TOCSIND, '-c', 'tocsin.conf'], cwd=self.dir, stderr=log,
                                            stdout=log, env={**os.environ, **self.env})
        running.append(self.process)

        def ready():
            ended = self.process.poll() is not None
            text = self.log()[before:]
            if 'msg="ready"' in text:  # and perhaps dead by now, if that is wanted
                return re.search(r'address=127.0.0.1:(\d+)', text)
            check(not ended, 'the daemon runs')
            return None
        self.port = int(until('ready', ready)[1])

    def ask(self, method, path, body=None, token=None, **headers):
        """Status, headers, body: of JSON what it says."""
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=120)
        headers = {name.replace('_', '-'): value for name, value in headers.items()}
        if token:
            headers['Authorization'] = 'Bearer ' + token
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers['Content-Type'] = 'application/json'
        if body is not None and 'Content-Type' not in headers:
            headers['Content-Type'] = 'text/plain'
        c.request(method, path, body=body.encode() if isinstance(body, str) else body, headers=headers)
        answer = c.getresponse()
        data = answer.read()
        c.close()
        if 'json' in (answer.getheader('Content-Type') or '').replace('ndjson', ''):
            data = json.loads(data)
        elif answer.getheader('Content-Type') != 'application/octet-stream':
            data = data.decode()
        return answer.status, dict(answer.getheaders()), data

    def good(self, method, path, *args, **more):
        status, _, data = self.ask(method, path, *args, **more)
        check(status == 200, f'{method} {path}: {status} {data}')
        return data

    def bad(self, want, method, path, *args, **more):
        status, headers, data = self.ask(method, path, *args, **more)
        check(status == want, f'{method} {path}: {status} instead of {want}: {data}')
        check(headers['Content-Type'] == 'application/problem+json' and data['status'] == want, 'a problem document')
        return data

    def events(self, *events):
        self.write('ev.ndjson', ''.join(json.dumps(e) + '\n' for e in events), 'a')

    def alerts(self):
        if not os.path.exists(self.path('alerts.ndjson')):
            return []
        with open(self.path('alerts.ndjson')) as f:
            return [json.loads(line) for line in f if line.endswith('\n')]  # the last may be half written

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, verify=True):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        check(code == 0, f'ended with {code}')
        if verify:
            run = subprocess.run([TOCSIN, 'state', 'verify', self.path('state')], capture_output=True, text=True)
            check(run.returncode == 0, f'state verify: {run.stdout}{run.stderr}')


class Mortal(Daemon):
    """One that may die at any time."""

    def start(self):
        """False: it died before it was ready."""
        before = len(self.log()) if os.path.exists(self.path('log')) else 0
        with open(self.path('log'), 'a') as log:
            self.process = subprocess.Popen([TOCSIND, '-c', 'tocsin.conf'], cwd=self.dir, stderr=log, stdout=log,
                                            env={**os.environ, **self.env})
        running.append(self.process)

        def settled():
            text = self.log()[before:]
            ready = 'msg="ready"' in text and re.search(r'address=127.0.0.1:(\d+)', text)
            return ready or self.process.poll() is not None
        found = until('ready, or dead', settled)
        self.port = 1 if found is True else int(found[1])  # 1: nobody is there
        return found is not True

    def ends(self):
        """It is asked to. True: it was killed on the way."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        check(code in (0, -signal.SIGKILL), f'it ended with {code}')
        return code != 0

    def died(self):
        self.port = 1
        code = self.process.wait(60)
        check(code == -signal.SIGKILL, f'it ended with {code}')

    def tried(self, *question):
        """None: it died."""
        try:
            return self.ask(*question)
        except (OSError, http.client.HTTPException):
            return None


def q(name):
    return urllib.parse.quote(name, safe='')


def fits(api, schema, value, where):
    """Does a value fit a schema of the document? The part of JSON Schema that it uses."""
    if '$ref' in schema:
        return fits(api, api['components']['schemas'][schema['$ref'].rsplit('/', 1)[1]], value, where)
    kinds = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'integer': int, 'number': (int, float),
             'null': type(None)}
    wanted = schema.get('type', [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    check(not wanted or any(isinstance(value, kinds[w]) for w in wanted), f'{where}: {value!r} is no {wanted}')
    check('enum' not in schema or value in schema['enum'], f'{where}: {value!r} is none of {schema.get("enum")}')
    check('const' not in schema or value == schema['const'], f'{where}: {value!r}')
    if isinstance(value, dict):
        for name in schema.get('required', []):
            check(name in value, f'{where}: no {name}')
        for name, part in value.items():
            known = schema.get('properties', {})
            more = schema.get('additionalProperties', 'properties' not in schema)
            check(name in known or more, f'{where}: {name} is not in the document')
            fits(api, known.get(name, more if isinstance(more, dict) else {}), part, f'{where}.{name}')
    if isinstance(value, list) and 'items' in schema:
        for part in value:
            fits(api, schema['items'], part, where + '[]')


def run_parts(parts, names=None):
    """Of a table by their names; what each takes is told. Directories of what failed can be looked at."""
    for name in names or parts:
        began = time.monotonic()
        random.seed(f'{SEED} {name}')  # the same without the parts before it
        parts[name]()
        print(f'{name}: {time.monotonic() - began:.1f} s', flush=True)
    print(f'{checks} checks')
    for path in made:
        shutil.rmtree(path, ignore_errors=True)
    skip.end()


def needs_failpoints(what):
    """False: this build has none, and what is left out is told."""
    if not has_failpoints():
        skip.left_out(f'{what}: this needs configure --enable-failpoints')
        return False
    return True


def has_failpoints():
    makefile = os.path.join(os.path.dirname(TOCSIND), 'Makefile')
    return os.path.exists(makefile) and '-DTOCSIN_FAILPOINTS' in open(makefile).read()
