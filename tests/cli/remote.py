#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool as a client of the daemon.

    remote.py TOCSIND TOCSIN [PART...]      without parts: all; servers that are none: remote_hostile.py

`transcript` compares with remote.golden: commands behind `$`, and what they print, standard error behind `!`; a
code that is not 0 is told at the end. Times, ETags and ports are replaced. WRITE=1 writes it anew.
"""
import gzip
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../http'))
import http_daemon  # noqa: E402
from http_daemon import TOCSIN, Daemon, check, directory, until  # noqa: E402
from port import fixed_port  # noqa: E402

WEB = 'source web { http {} time ts lateness 0s }\n' + http_daemon.FILES
PAIR = '''rule pair {
  title    "{v} twice"
  severity high
  match by k within 1h { a: web where n == 1  b: web where n == 2 }
  emit { v = k }
  test "two" { 0s web {"k": "x", "n": 1}  1s web {"k": "x", "n": 2}  expect 1 alerts }
}
'''
MARK = 'rule mark { match by k { a: web where n == 99 } }\n'
HIDDEN = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]')


class Place(Daemon):
    """A daemon that comes back at the same port, and the tool beside it."""

    def __init__(self, **more):
        more.setdefault('source', WEB)
        super().__init__(port=fixed_port(), **more)
        self.environment = {'TOCSIN_URL': f'http://127.0.0.1:{self.port}'}

    def run(self, *args, code=0, stdin=''):
        return tool(*args, code=code, stdin=stdin, cwd=self.dir, **self.environment)

    def begin(self, *args, **more):
        return Running(args, self.dir, self.environment, **more)


def clean(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith('TOCSIN_') and k != 'NO_COLOR'}
    return {**env, 'http_proxy': 'http://127.0.0.1:9', **more}


def tool(*args, code=0, stdin='', cwd=None, **env):
    """What it printed: standard output, standard error."""
    p = subprocess.run([TOCSIN, *args], capture_output=True, cwd=cwd, env=clean(**env), timeout=120,
                       input=stdin.encode() if isinstance(stdin, str) else stdin)
    out, err = p.stdout.decode(errors='surrogateescape'), p.stderr.decode(errors='surrogateescape')
    check(p.returncode == code, f'tocsin {args}: {p.returncode} instead of {code}\n{out[-2000:]}{err[-2000:]}')
    return out, err


class Running:
    """A tool that does not end by itself; its output, line by line."""

    def __init__(self, args, cwd, env):
        self.process = subprocess.Popen([TOCSIN, *args], cwd=cwd, env=clean(**env), text=True, bufsize=1,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        http_daemon.running.append(self.process)
        self.lines = []
        self.thread = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, '')), daemon=True)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip('\n'))

    def text(self):
        return '\n'.join(self.lines)

    def sees(self, what, times=1):
        end = time.monotonic() + 240
        while self.text().count(what) < times:
            check(time.monotonic() < end, f'never: {what}\n{self.text()}')
            time.sleep(0.02)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(60)
        self.thread.join(60)


def on_terminal(*args, **env):
    """What comes to a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(TOCSIN, [TOCSIN, *args], clean(TERM='xterm', **env))
    out = b''
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.waitpid(pid, 0)
    os.close(fd)
    return out.decode(errors='surrogateescape').replace('\r\n', '\n')


# ---- a transcript ----------------------------------------------------------------------------------

def normal(text, d):
    text = re.sub(r'\b[0-9a-f]{32}\b', '<etag>', text)
    text = re.sub(r'20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z', '<now>', text)
    text = text.replace(f'127.0.0.1:{d.port}', 'HERE').replace(d.dir, 'DIR')
    text = re.sub(r'127\.0\.0\.1:\d+', 'CLIENT', text)
    text = re.sub(r'after \d+ ms', 'after a moment', text)
    text = re.sub(r'tocsind \S+, up \S+, since', 'tocsind VERSION, up AGE, since', text)
    text = re.sub(r'checkpoints: .*', 'checkpoints: ...', text)
    text = re.sub(r'checkpoint \d+, of <now>, .*', 'checkpoint N', text)
    text = re.sub(r'\b\d[\d,.]*( [KM]iB|ms|s\b|d\b)', '#', text)
    text = re.sub(r'\d+ a second', '# a second', text)
    # sizes of state are the engine's business
    text = re.sub(r'(state bytes +)\d+', r'\1#', text)
    text = re.sub(r'^(pair +3 .* )\d+( +#)$', r'\1#\2', text, flags=re.M)
    text = re.sub(r'^  seconds \w+ .*\n', '', text, flags=re.M)  # of what was sampled, if any
    text = re.sub(r'(keys?, |in memory: \d+, )\d+', r'\1#', text)
    text = re.sub(r'^ *\d+(  k=)', r'#\1', text, flags=re.M)
    return re.sub(r'  +', '  ', text)  # columns move with what was replaced


def part_transcript():
    d = Place(rules={'mark.rule': MARK})
    d.write('pair.rule', PAIR)
    d.write('other/deep.rule', MARK.replace('rule mark', 'rule deep'))
    d.write('other/wide.rule', PAIR.replace('rule pair', 'rule wide'))
    d.write('bad.rule', PAIR.replace('n == 1', 'n = 1').replace('emit { v = k }', 'emit { v = q.k }'))
    d.write('twice.rule', MARK)
    d.write('rules/owners.csv', 'host,tier\nh1,1\nh2,2\n')
    d.write('owned.rule', 'table owners = file "owners.csv" key host\n'
            'rule owned { match by host { a: web where owners[host].tier > 1 } }\n')
    d.write('more.csv', 'host,tier,who\nh1,2,ann\nh2,3,bob\nh3,1,cy\n')
    d.write('wrong.csv', 'host,tier\nh1,1\nh1,"2\n')
    d.write('some.ndjson', '{"host":"h2","tier":9}\n{"host":"h1","@deleted":true}\n')
    golden = os.path.join(HERE, 'remote.golden')
    lines, seen = [], []
    for line in open(golden):
        if line.startswith('$ '):
            lines.append(line.rstrip('\n'))
        elif line.startswith('#') and all(head.startswith('#') for head in lines):
            lines.append(line.rstrip('\n'))
    for line in lines:
        seen.append(line)
        if line.startswith('#'):
            continue
        if line.startswith('$ wait '):
            until(line[7:], lambda: d.good('GET', '/v1/rules/pair/stats').get(line.split()[2]) == int(line.split()[3]))
            continue
        command = line[2:]
        stdin = ''
        if ' <<< ' in command:
            command, _, stdin = command.partition(' <<< ')
            stdin = stdin.replace('\\n', '\n')
        words = shlex.split(command)
        check(words[0] == 'tocsin', line)
        p = subprocess.run([TOCSIN, *words[1:]], capture_output=True, text=True, cwd=d.dir, timeout=120,
                           input=stdin, env=clean(**d.environment))
        seen += normal(p.stdout, d).splitlines()
        seen += ['! ' + err for err in normal(p.stderr, d).splitlines()]
        if p.returncode:
            seen.append(f'= {p.returncode}')
    text = ''.join(line.rstrip() + '\n' for line in seen)
    if os.environ.get('WRITE'):
        open(golden, 'w').write(text)
    had = open(golden).read()
    if text != had:
        import difflib
        sys.stdout.writelines(difflib.unified_diff(had.splitlines(True), text.splitlines(True), 'remote.golden', 'now'))
        check(False, 'the transcript is another one (WRITE=1 writes it)')
    d.stop()


# ---- what the daemon says, as it is ----------------------------------------------------------------

def part_json():
    d = Place(rules={'mark.rule': MARK})
    d.write('pair.rule', PAIR)
    paths = {'rules list': '/v1/rules', 'modules list': '/v1/modules', 'rules show mark': '/v1/rules/mark',
             'rules stats mark': '/v1/rules/mark/stats', 'modules get mark.rule': '/v1/modules/mark.rule',
             'rules explain mark': '/v1/rules/mark/explain', 'state show mark --key x': '/v1/state/mark?key=x',
             'sources': '/v1/sources', 'sinks': '/v1/sinks', 'checkpoint list': '/v1/checkpoints', 'audit': '/v1/audit'}
    for command, path in paths.items():
        out, _ = d.run(*command.split(), '--json')
        said, is_so = json.loads(out), d.good('GET', path)
        check(said.keys() == is_so.keys(), f'{command}: {said}')
    each = {r['name']: r['stats'] for r in d.good('GET', '/v1/rules?stats=1')['rules']}
    check(all(stats.keys() == d.good('GET', f'/v1/rules/{name}/stats').keys() for name, stats in each.items()), f'{each}')
    status = json.loads(d.run('status', '--json')[0])
    check(status['ready']['ready'] and status['rules']['rules'][0]['stats'] is not None, f'{status}')
    check(json.loads(d.run('modules', 'put', 'pair.rule', '--json')[0])['rules']['pair'] == 'added', 'a change')
    # a savepoint is a state directory elsewhere
    check('written' in d.run('checkpoint', 'export', 'saved')[0], 'an export')
    d.run('checkpoint', 'export', 'saved', code=1)
    d.run('checkpoint', 'export', 'saved2', '--token-file', '/dev/null', code=2)
    tool('state', 'import', 'elsewhere', 'saved', cwd=d.dir)
    check('pair' in tool('state', 'inspect', 'elsewhere', cwd=d.dir)[0] and not os.path.exists(d.path('saved2')), 'it is whole')
    d.write('bad.rule', 'rule bad {')
    out, _ = d.run('modules', 'put', '--json', 'bad.rule', code=1)
    check(json.loads(out)['diagnostics'][0]['file'] == 'bad', 'mistakes')
    # figures, for people
    d.run('post', 'web', stdin='{"ts":1000,"k":"ann","n":1}\n{"ts":1002,"k":"ann","n":2}\nno\n', code=1)
    until('delivered', lambda: d.good('GET', '/v1/sinks')['sinks'][0]['delivered'] == 1 and events_of(d) == 2)
    out, _ = d.run('sources')
    check(re.search(r'^web +http +2 +\d+ +1970-01-01T00:16:42Z +1970-01-01T00:16:42Z +\d+d +0 +-$', out, re.M), out)
    check(re.search(r'^disk +file +good +1 +0 +0s +-$', d.run('sinks')[0], re.M), 'the sink')
    # dead letters: of a source the line that it gave is shown
    d.run('post', 'web', stdin='{"ts":4000000000,"k":"f","n":1}\n')
    until('a dead letter', lambda: len(d.good('GET', '/v1/dead_letters')['dead_letters']) == 1)
    out, _ = d.run('dead-letters', '--origin', 'web')
    check(re.search(r'^ +1 +\S+Z +web +its time is too far ahead of its arrival \(`future`\) +\{"ts":4000000000,"k":"f","n":1\}$', out, re.M), out)
    check([json.loads(line)['number'] for line in d.run('dead-letters', 'list', '--json', '1-')[0].splitlines()] == [1], 'by number')
    check('no sink' in d.run('dead-letters', 'replay', 'all')[0] and '1 removed' in d.run('dead-letters', 'drop', '1')[0], 'dropped')
    text, _ = d.run('modules', 'get', 'pair')
    check(text == PAIR, 'byte for byte')
    d.run('modules', 'get', 'pair', '--output', 'got')
    check(open(d.path('got')).read() == PAIR, 'and in a file')
    d.stop()


# ---- changes ---------------------------------------------------------------------------------------

def part_put():
    d = Place(rules={'mark.rule': MARK})
    # mistakes are printed as `tocsin check` prints them
    bad = PAIR.replace('n == 1', 'n = 1').replace('k within', 'k wihtin')
    d.write('bad.rule', bad + 'rule größer {\n\tmatch by k { a: web where ß == }\n}\n')
    checked = d.run('check', 'bad.rule', code=2)[1]
    for command in ('modules put', 'modules check', 'rules check', 'rules test'):
        put = d.run(*command.split(), 'bad.rule', code=1)[1]
        check(put.startswith(checked) and 'nothing was changed' in put, f'{command}: {put}\ninstead of\n{checked}')
    # several at once, or none; others stay
    d.run('modules', 'put', '--name', 'kept', '-', stdin=MARK.replace('mark', 'kept'))
    d.write('set/a.rule', MARK.replace('rule mark', 'rule a'))
    d.write('set/team/b.rule', MARK.replace('rule mark', 'rule b'))
    d.write('set/.hidden.rule', 'nonsense')
    out, _ = d.run('modules', 'put', 'set')
    check(re.search('a +added', out) and re.search('b +added', out), out)
    names = {m['name'] for m in d.good('GET', '/v1/modules')['modules']}
    check(names == {'mark.rule', 'kept', 'a', 'team/b'}, f'{names}')
    d.write('set/team/b.rule', 'rule b { match by k { a: web where n == 98 } }\n')
    d.write('set/a.rule', 'rule a {')
    _, err = d.run('modules', 'put', 'set', code=1)
    check('set/a.rule:1' in err and 'n == 99' in d.good('GET', '/v1/modules/team%2Fb')['text'], err)
    # the whole set
    d.write('set/a.rule', MARK.replace('rule mark', 'rule a'))
    etag = d.good('GET', '/v1/modules')['etag']
    _, err = d.run('modules', 'put', '--set', 'set', '--if-match', 'f' * 32, code=1)
    check('not what it was' in err, err)
    out, _ = d.run('modules', 'put', '--set', 'set', '--if-match', etag.strip('"'))
    check(re.search('kept +removed', out), out)
    # one that changed meanwhile
    _, err = d.run('modules', 'put', 'set/a.rule', '--name', 'a', '--if-match', 'f' * 32, code=0)  # the same text
    d.write('set/a.rule', MARK.replace('rule mark', 'rule a') + '# more\n')
    _, err = d.run('modules', 'put', 'set/a.rule', '--if-match', 'f' * 32, code=1)
    # state that would be lost
    d.run('modules', 'put', '--name', 'novel', '-', stdin='rule novel { novel k by n within 30d { a: web where n > 0 } }\n')
    novel = 'rule novel { novel n by k within 30d { a: web where n > 0 } }\n'
    d.run('post', 'web', stdin='{"ts":1,"k":"a","n":1}\n')
    until('seen', lambda: d.good('GET', '/v1/rules/novel/stats')['events'] == 1)
    _, err = d.run('modules', 'put', '--name', 'novel', '-', stdin=novel, code=1)
    check('--allow-state-drop' in err, err)
    out, _ = d.run('modules', 'put', '--name', 'novel', '--dry-run', '--on-reload', 'fresh', '-', stdin=novel)
    check('would be changed' in out and re.search('novel +fresh', out), out)
    d.run('modules', 'put', '--name', 'novel', '--allow-state-drop', '-', stdin=novel)
    # what cannot be
    for args, code in ((('x.rule',), 1), (('.',), 2), (('-',), 2), (('--name', 'x', 'set'), 2), (('--delete', 'set'), 2),
                       (('--watch', 'a', 'b'), 2), (('--watch', '--set', 'set'), 2), (('--on-reload', 'no', 'set/a.rule'), 1),
                       (('--limit', '3', 'set'), 2), ((), 2)):
        d.write('empty/x', '')
        p = subprocess.run([TOCSIN, 'modules', 'put', *args], cwd=d.path('empty' if args == ('.',) else ''), capture_output=True,
                           env=clean(**d.environment), stdin=subprocess.DEVNULL)
        check(p.returncode == code and p.stderr, f'{args}: {p}')
    d.write('latin.rule', '')
    open(d.path('latin.rule'), 'wb').write(b'# \xe4\nrule l { match by k { a: web } }\n')
    check('not UTF-8' in d.run('modules', 'put', 'latin.rule', code=1)[1], 'an odd byte')
    d.stop()


def part_watch():
    d = Place(rules={'mark.rule': MARK})
    d.write('watched/a.rule', MARK.replace('rule mark', 'rule a'))
    d.write('watched/team/b.rule', MARK.replace('rule mark', 'rule b'))
    w = d.begin('modules', 'put', '--watch', 'watched')
    w.sees('added', 2)
    # a mistake, with the line; what is mended goes
    d.write('watched/a.rule', 'rule a { match by k { a: web where n = 1 } }\n')
    w.sees('watched/a.rule:1:38: error:')
    w.sees('^ equality is `==`')
    d.write('watched/a.rule', 'rule a { match by k { a: web where n == 1 } }\n')
    w.sees('a: changed, version 2')
    # as editors do it: another file, renamed; a new one in a new directory; what is no rule
    d.write('watched/a.rule~', 'rule a { match by k { a: web where n == 2 } }\n')
    os.rename(d.path('watched/a.rule~'), d.path('watched/a.rule'))
    w.sees('a: changed, version 3')
    d.write('watched/new/deep/c.rule', MARK.replace('rule mark', 'rule c'))
    w.sees('new/deep/c: changed, version 1')
    d.write('watched/notes.txt', 'nothing')
    # one that is broken holds no other up
    d.write('watched/a.rule', 'rule a {')
    d.write('watched/team/b.rule', 'rule b { match by k { a: web where n == 3 } }\n')
    w.sees('team/b: changed, version 2')
    w.sees('watched/a.rule:1')
    # the daemon is away, and comes back
    d.kill()
    d.write('watched/team/b.rule', 'rule b { match by k { a: web where n == 4 } }\n')
    w.sees('trying again')
    d.start()
    w.sees('team/b: changed, version 3')
    # its state is lost: what it does not have is put again
    d.kill()
    shutil.rmtree(d.path('state'))
    d.start()
    w.sees('new/deep/c: changed, version 1', 2)
    until('the others', lambda: 'team/b' in [m['name'] for m in d.good('GET', '/v1/modules')['modules']])
    # a file goes
    os.remove(d.path('watched/new/deep/c.rule'))
    w.sees('the module stays (--delete takes it away)')
    check(w.process.poll() is None, 'it goes on')
    w.end()
    check('new/deep/c' in [m['name'] for m in d.good('GET', '/v1/modules')['modules']], 'it is there')
    # two rules that change their names with each other can only go together
    d.write('watched/a.rule', 'rule b { match by k { a: web where n == 5 } }\n')
    d.write('watched/team/b.rule', 'rule a { match by k { a: web where n == 6 } }\n')
    w = d.begin('modules', 'put', '--watch', '--delete', 'watched')
    w.sees('several files')
    os.remove(d.path('watched/a.rule'))
    w.sees('a: changed')
    until('deleted', lambda: 'a' not in [m['name'] for m in d.good('GET', '/v1/modules')['modules']])
    w.end()
    d.stop()


# ---- posting ---------------------------------------------------------------------------------------

def lines(n, first=0):
    return ''.join(json.dumps({'ts': 1000 + i, 'k': f'k{i}', 'n': 1, 'pad': 'x' * 100}) + '\n' for i in range(first, first + n))


def events_of(d):
    return next(s for s in d.good('GET', '/v1/sources')['sources'] if s['name'] == 'web')['events']


def part_post():
    d = Place(rules={'mark.rule': MARK})
    d.write('ev', lines(5000))
    out, err = d.run('post', 'web', 'ev', '--piece', '16KiB')
    check('5000 accepted, 0 rejected' in err and not out, err)
    until('taken', lambda: events_of(d) == 5000)
    # the same key again adds nothing; gzip; without an end of line
    open(d.path('ev.gz'), 'wb').write(gzip.compress(lines(100, 5000).rstrip('\n').encode()))
    for _ in range(2):
        _, err = d.run('post', 'web', 'ev.gz', '--key', 'mine', '--piece', '1KiB')
        check('100 accepted' in err, err)
    until('taken once', lambda: events_of(d) == 5100)
    # what is no event is told by its line in the whole, and the rest is there
    broken = lines(300, 6000).splitlines(True)
    for i in (0, 150, 151, 299):
        broken[i] = '{"no\x1b[2J\n'
    _, err = d.run('post', 'web', '-', '--piece', '2KiB', stdin=''.join(broken), code=1)
    check(re.findall(r'^line (\d+):', err, re.M) == ['1', '151', '152', '300'] and '296 accepted, 4 rejected' in err, err)
    _, err = d.run('post', 'web', stdin='no\n' * 100, code=1)
    check('100 rejected' in err and 'and more' in err and err.count('line ') == 20, err)
    check(json.loads(d.run('post', 'web', '--json', stdin='{"ts":1}\n')[0]) == {'accepted': 1, 'rejected': 0}, 'JSON')
    # what was accepted is not yet taken: only then is there a number to count from
    until('all of it', lambda: events_of(d) == 5100 + 296 + 1)
    # nothing, nobody, nonsense
    check('0 accepted' in d.run('post', 'web', '/dev/null')[1], 'nothing')
    check('did you mean `web`' in d.run('post', 'wev', stdin='{}', code=1)[1], 'nobody')
    d.run('post', 'web', '.', code=1)
    d.run('post', code=2)
    d.run('post', 'web', '--piece', '1GiB', code=2)
    # a pipe that is slow: what is there goes
    p = subprocess.Popen([TOCSIN, 'post', 'web'], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=clean(**d.environment))
    p.stdin.write('{"ts":9000,"n":1}\n{"ts"')
    p.stdin.flush()
    until('it is there before the end', lambda: events_of(d) == 5397 + 1)
    p.stdin.write(':9001,"n":1}\n')
    check('2 accepted' in p.communicate(timeout=60)[1], 'and the rest')
    until('both', lambda: events_of(d) == 5397 + 2)
    # it is drained: that is told at once, and tried again
    d.run('drain')
    p = subprocess.Popen([TOCSIN, 'post', 'web'], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=clean(**d.environment))
    p.stdin.write('{"ts":9002,"n":1}\n')
    p.stdin.close()
    said = p.stderr.readline()
    check('the daemon is drained' in said and 'trying again' in said, f'drained: {said}')
    p.kill()
    p.wait()
    d.run('resume')
    # the daemon is killed meanwhile, and comes back: all are accepted
    d.write('many', lines(30000, 100000))
    p = subprocess.Popen([TOCSIN, 'post', 'web', 'many', '--piece', '8KiB'], cwd=d.dir, stderr=subprocess.PIPE, text=True,
                         env=clean(**d.environment))
    for _ in range(3):
        so_far = events_of(d)
        until('some', lambda: events_of(d) > so_far or p.poll() is not None)
        d.kill()
        time.sleep(0.3)
        d.start()
    err = p.communicate(timeout=120)[1]
    check(p.returncode == 0 and '30000 accepted, 0 rejected' in err, f'{p.returncode} {err}')
    d.run('checkpoint', 'now')
    d.stop()


# ---- alerts ----------------------------------------------------------------------------------------

EACH = '''rule each { title "saw {n}" severity high match by k { a: web where n >= 0 and n % 2 == 0 } emit { n = a.n } }
rule odd { severity low match by k { a: web where n % 2 == 1 } }
'''


def post(d, first, n):
    d.run('post', 'web', stdin=''.join(json.dumps({'ts': 1600000000 + i, 'k': f'k{i % 3}', 'n': i}) + '\n' for i in range(first, first + n)))


def part_alerts():
    d = Place(rules={'each.rule': EACH})
    check('no alerts' in d.run('alerts')[1], 'none yet')
    post(d, 0, 120)
    until('found', lambda: len(d.run('alerts', '--limit', 'all')[0].splitlines()) == 120)
    out, err = d.run('alerts')
    got = out.splitlines()
    check(len(got) == 50 and got[1].split() == '2020-09-13T12:28:38Z high each saw 118'.split() and '--limit' in err, out)
    check(got[0].split() == '2020-09-13T12:28:39Z low odd k=k2'.split(), f'without a title: {got[0]}')
    first = d.run('alerts', '--oldest', '--limit', '3')[0].splitlines()
    check([line.split()[0][-4:-1] for line in first] == [':40', ':41', ':42'], f'{first}')
    check(len(d.run('alerts', '--rule', 'e*', '--limit', 'all')[0].splitlines()) == 60, 'of a rule')
    check(len(d.run('alerts', '--min-severity', 'medium', '--key', 'k0', '--limit', 'all')[0].splitlines()) == 20, 'filters')
    check(len(d.run('alerts', '--since', '2020-09-13T12:28:00Z', '--until', '2020-09-13T12:28:10Z')[0].splitlines()) == 10, 'times')
    check('no alerts' in d.run('alerts', '--since', '90m')[1], 'so long ago')
    d.run('alerts', '--since', 'yesterday', code=1)
    d.run('alerts', '--severity', 'awful', code=1)
    said = [json.loads(line) for line in d.run('alerts', '--json', '--limit', 'all')[0].splitlines()]
    check([a['number'] for a in said] == list(range(120, 0, -1)) and said[0]['events'], 'as they are')
    # as they come; the daemon is killed meanwhile, again and again
    t, late = d.begin('tail', '--json'), d.begin('tail', '--after', '110', '--rule', 'each', '--count', '8')
    late.sees('saw 118')
    n = 120
    while not any(line.startswith('{') for line in t.lines):  # from when on it listens is not known
        post(d, n, 1)
        n += 1
        time.sleep(0.2)
    for _ in range(3):
        post(d, n, 25)
        d.kill()
        d.start()
        n += 25
    t.sees(f'"number":{n},')
    numbers = [json.loads(line)['number'] for line in t.lines if line.startswith('{')]
    check(numbers == list(range(numbers[0], n + 1)), f'none is missing, none twice: {numbers}')
    t.end()
    late.process.wait(60)
    late.thread.join(60)
    check(late.process.returncode == 0 and len([line for line in late.lines if 'saw' in line]) == 8, late.text())
    d.run('tail', '--severity', 'awful', code=1)
    check(len(d.run('tail', '--since', '2000-01-01T00:00:00Z', '--count', '2')[0].splitlines()) == 2, 'found before now')
    d.stop()
    check('connect' in d.run('tail', code=3)[1], 'nobody there')


# ---- who may, and where ----------------------------------------------------------------------------

def part_tokens():
    tokens = {role: f'the-token-of-{role}' for role in ('read', 'rules', 'ingest', 'admin')}
    d = Place(rules={'mark.rule': MARK}, tokens=tokens)
    d.write('pair.rule', PAIR)
    for role, token in tokens.items():
        d.write('token-' + role, token + '\n')
    check('--token-file' in d.run('rules', code=1)[1], 'none')
    check('the-token' not in d.run('rules', '--token-file', 'token-ingest', code=1)[1], 'another role')
    d.run('rules', '--token-file', 'token-read')
    d.run('modules', 'put', 'pair.rule', '--token-file', 'token-read', code=1)
    d.run('modules', 'put', 'pair.rule', '--token-file', 'token-rules')
    d.run('post', 'web', '--token-file', 'token-ingest', stdin='{"ts":1}')
    d.run('audit', '--token-file', 'token-admin')
    for env, code in (({'TOCSIN_TOKEN': tokens['read']}, 0), ({'TOCSIN_TOKEN_FILE': d.path('token-read')}, 0),
                      ({'TOCSIN_TOKEN': 'wrong'}, 1), ({'TOCSIN_TOKEN': 'two words'}, 2),
                      ({'TOCSIN_TOKEN_FILE': '/nowhere'}, 2), ({'TOCSIN_TOKEN': 'a\r\nX: b'}, 2)):
        tool('rules', code=code, **d.environment, **env)
    d.write('empty', '')
    d.run('rules', '--token-file', 'empty', code=2)
    check('in the clear' in tool('rules', '--url', 'http://192.0.2.1:7070', '--token-file', d.path('token-read'), code=2)[1],
          'a token over the network')
    d.stop()
    for url in ('127.0.0.1:7070', 'ftp://127.0.0.1', 'http://', 'http:///x', 'http://a b', 'http://u:p@127.0.0.1',
                'http://127.0.0.1/?q', 'file:///etc/passwd'):
        tool('rules', '--url', url, code=2)
    tool('rules', '--timeout', 'soon', code=2)
    check('connect' in tool('rules', '--url', f'http://127.0.0.1:{d.port}', code=3)[1], 'nobody there')


def part_tls():
    where = http_daemon.work = directory()

    def openssl(*args):
        subprocess.run(['openssl', *args], cwd=where, check=True, capture_output=True)
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30', '-subj', '/CN=ca')
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'csr.pem', '-subj', '/CN=localhost')
    open(os.path.join(where, 'ext'), 'w').write('subjectAltName=DNS:localhost\n')
    openssl('x509', '-req', '-in', 'csr.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', 'cert.pem',
            '-days', '30', '-extfile', 'ext')
    ca = os.path.join(where, 'ca.pem')
    d = Place(rules={'mark.rule': MARK}, http=f'tls {{ certificate "{where}/cert.pem" key "{where}/key.pem" }}')
    url = f'https://localhost:{d.port}'
    check('mark' in tool('rules', '--url', url, '--ca', ca)[0], 'over TLS')
    check('mark' in tool('rules', '--url', url, TOCSIN_CA=ca)[0], 'from the environment')
    tool('rules', '--url', url, code=3)  # nobody trusts it
    tool('rules', '--url', f'https://127.0.0.1:{d.port}', '--ca', ca, code=3)  # another name
    tool('rules', '--url', url, '--ca', os.path.join(where, 'key.pem'), code=3)
    tool('rules', '--url', url, '--ca', '/nowhere', code=2)
    d.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    http_daemon.run_parts(PARTS, sys.argv[3:])
