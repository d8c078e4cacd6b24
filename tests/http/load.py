#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules change over HTTP while events flow, and the daemon is killed in the middle of it.

    load.py TOCSIND TOCSIN [PART...]

SEED: of changes and events (http_daemon.py). RELOADS (100): of the part `load`; TURNS (2): how often the part `kills` goes
through its steps.
"""
import datetime
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

SOURCES = ('source ev { file "ev*.ndjson" time ts lateness 0s idle 1h }\n'
           'source web { http {} time ts lateness 0s idle 1h }\n')
STEADY = '''
rule keep { match by k within 50s { a: %(s)s where n == 1  b: %(s)s where n == 2 } emit { n = b.ts } }
rule count { window tumbling 20s by k { a: %(s)s where n < 6 } emit { n = count() } }
rule gap { match by k { a: %(s)s where n == 3  not b: %(s)s where n == 4 within 15s } emit { n = a.ts } }
'''
NAMES = ('keep', 'count', 'gap', 'same', 'sums')


def rules_of(text, source):
    """The same rules for another source, under names of its own."""
    for name in NAMES:
        text = text.replace(f'rule {name} ', f'rule {source}_{name} ')
    return text


def steady(source):
    return rules_of(STEADY % {'s': source}, source)


def same(source, form, more):
    """Rules of one shape that say one thing in many words: a threshold that makes no difference to whole
    numbers, a text, a title."""
    least = 'n > 1' if form % 2 else 'n >= 2'
    text = (f'# {more}\n'
            f'rule same {{ match by k within 50s {{ a: {source} where n == 2  b: {source} where n == 5 }} '
            f'emit {{ n = b.ts  v = "{form}" }} title "{form}" }}\n'
            f'rule sums {{ window tumbling 30s by k {{ a: {source} where {least} }} '
            f'emit {{ n = sum(n)  v = "{form}" }} }}\n')
    return rules_of(text, source)


def told(alerts):
    wanted = {f'{source}_{name}' for source in ('ev', 'web') for name in NAMES}
    return sorted((a['rule'], a['time'], json.dumps(a.get('key')), a['fields'].get('n')) for a in alerts
                  if a['rule'] in wanted)


class Feeder(threading.Thread):
    """Events of two sources, by file and by POST, until it is stopped; and those of each are remembered."""

    def __init__(self, daemon, rnd, pause):
        super().__init__(daemon=True)
        self.d, self.rnd, self.pause = daemon, rnd, pause
        self.events = {'ev': [], 'web': []}
        self.at = {'ev': 1000, 'web': 1000}
        self.ended = threading.Event()
        self.sent = {}  # when an event with a number of its own was sent: wall time
        self.failed = None
        self.posts = 0

    def batch(self, source, count):
        made = []
        for _ in range(count):
            self.at[source] += self.rnd.randrange(0, 2)
            made.append({'ts': self.at[source], 'k': f'u{self.rnd.randrange(5)}', 'n': self.rnd.randrange(7)})
        self.events[source] += made
        return made

    def post(self, batch):
        """Until it is answered: one key, whatever happens meanwhile."""
        self.posts += 1
        key = f'post-{self.posts}'
        body = ''.join(json.dumps(e) + '\n' for e in batch)
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                status, headers, data = self.d.ask('POST', '/v1/events/web', body, Idempotency_Key=key,
                                                   Content_Type='application/x-ndjson')
            except (OSError, http.client.HTTPException):
                if self.ended.is_set():
                    break
                time.sleep(0.02)
                continue
            if status == 200:
                if data['accepted'] != len(batch):
                    self.failed = f'{data} of {len(batch)}'
                return
            if status not in (429, 503) or 'Retry-After' not in headers:
                self.failed = f'{status} {data}'
                return
            time.sleep(0.02)
        self.failed = self.failed or 'a post was never answered'

    def send(self, source, batch):
        mark = batch[-1].get('mark')
        if mark:
            self.sent[mark] = time.time()
        if source == 'ev':
            self.d.events(*batch)
        else:
            self.post(batch)

    def run(self):
        mark = 0
        while not self.ended.is_set() and not self.failed:
            for source in ('ev', 'web'):
                batch = self.batch(source, self.rnd.randrange(5, 40))
                mark += 1
                batch[-1]['mark'] = f'{source}-{mark}'
                self.send(source, batch)
            self.ended.wait(self.pause)

    def end(self):
        """The last events, which decide what is open."""
        self.ended.set()
        self.join()
        check(not self.failed, f'posting: {self.failed}')
        self.ended.clear()
        for source in ('ev', 'web'):
            at = self.at[source]
            last = [{'ts': at + 200, 'k': 'end', 'n': 9}, {'ts': at + 400, 'k': 'end', 'n': 1},
                    {'ts': at + 401, 'k': 'end', 'n': 2}]
            self.events[source] += last
            self.send(source, last)
        check(not self.failed, f'posting: {self.failed}')


def replay(d, feeder):
    """What an engine says that nobody ever reloaded or killed."""
    d.write('all.rule', ''.join(steady(s) + same(s, 0, 'x') for s in ('ev', 'web')))
    for source, events in feeder.events.items():
        d.write(f'{source}.whole', ''.join(json.dumps(e) + '\n' for e in events))
    run = subprocess.run([TOCSIN, 'replay', '-r', 'all.rule', '--time', 'ev=ts', '--time', 'web=ts', '--lateness', '0s',
                          'ev=ev.whole', 'web=web.whole'], cwd=d.dir, capture_output=True, text=True)
    check(run.returncode == 0, run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def compare(d, feeder, seed):
    """The replay is at its end, the daemon is not: what time alone decides behind the last event."""
    for source in ('ev', 'web'):
        until(f'the last alert of {source}',
              lambda: [a for a in d.alerts() if a['rule'] == source + '_keep' and a['key'] == {'k': 'end'}])
    d.stop()
    end = min(feeder.at.values()) + 400
    limit = datetime.datetime.fromtimestamp(end, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S')
    want = [t for t in told(replay(d, feeder)) if t[1] <= limit]
    got = [t for t in told(d.alerts()) if t[1] <= limit]
    check(len(want) > 100, f'{len(want)} alerts')
    check(got == want, f'seed {seed}: {len(got)} alerts instead of {len(want)}; '
          f'missing {[t for t in want if t not in got][:5]}, more {[t for t in got if t not in want][:5]}')
    ids = [a['id'] for a in d.alerts()]
    check(len(ids) == len(set(ids)), f'seed {seed}: an alert twice')
    events = sum(map(len, feeder.events.values()))
    print(f'{events} events by file and by POST; {len(got)} alerts of rules that stayed, as in a replay')


# ---- changes of all kinds ------------------------------------------------------------------------

class Changer:
    """Changes rules in one of many ways; and knows what has to come of it."""

    KINDS = ['text', 'step', 'key', 'add', 'remove', 'again', 'broken', 'threshold', 'rollback', 'switch', 'set',
             'dry', 'comment', 'both', 'file', 'sighup', 'check']

    def __init__(self, daemon, rnd):
        self.d, self.rnd, self.turn = daemon, rnd, 0
        self.form = 0
        self.files = 0
        for source in ('ev', 'web'):
            daemon.good('PUT', f'/v1/modules/same_{source}', same(source, 0, 'start'))

    def other(self, **more):
        form = {'step': 'a', 'key': 'k', 'n': 3, 'source': self.rnd.choice(['ev', 'web']), 'last': None, **more}
        return ('rule other {{ match by {key} within 30s {{ {step}: {source} where n == {n}  z: {last} where n == 1 }} }}\n'
                .format(**{**form, 'last': form['last'] or form['source']}))

    def put(self, text, query='', name='other'):
        return self.d.good('PUT', f'/v1/modules/{name}{query}', text)

    def has_other(self):
        return self.d.ask('GET', '/v1/rules/other')[0] == 200

    def change(self, kind):
        self.turn += 1
        d, turn = self.d, self.turn
        source = self.rnd.choice(['ev', 'web'])
        mod = f'/v1/modules/same_{source}'
        steadies = {f'{s}_{name}': 'unchanged' for s in ('ev', 'web') for name in NAMES[:3]}
        fates = {}
        if kind in ('text', 'threshold'):
            self.form += 1 if kind == 'threshold' or self.form % 2 else 2
            fates = d.good('PUT', mod, same(source, self.form + 1000 * turn, f'turn {turn}'))['rules']
            check(fates[source + '_same'] == 'kept', f'{kind}: {fates}')
        elif kind in ('step', 'add', 'again'):
            fates = self.put(self.other(step=f's{turn}', n=self.rnd.randrange(5)))['rules']
        elif kind == 'both':
            fates = self.put(self.other(step=f's{turn}', source='ev', last='web'))['rules']
        elif kind == 'key':
            fates = self.put(self.other(step=f's{turn}', key='k, n'), '?allow_state_drop=1')['rules']
        elif kind == 'remove':
            if not self.has_other():
                self.put(self.other(step=f's{turn}'))
            fates = d.good('DELETE', '/v1/modules/other')['rules']
            check(fates['other'] == 'removed', f'{fates}')
        elif kind == 'broken':
            d.bad(422, 'PUT', '/v1/modules/other', 'rule other {')
            d.bad(422, 'PUT', mod, same(source, 0, 'x') + 'rule other { match by k { a: ev where nn( } }')
        elif kind == 'rollback':
            first = d.good('GET', mod)['version'] == 1
            fates = d.good('POST', mod + '/rollback' + ('?version=1' if first else self.rnd.choice(['', '?version=1'])))['rules']
        elif kind == 'switch':
            self.put(self.other(step=f'w{turn}'))
            check(d.good('POST', '/v1/rules/other:disable')['rules']['other'] == 'removed', 'disabled')
            fates = d.good('POST', '/v1/rules/other:enable')['rules']
            check(fates['other'] == 'added', f'{fates}')
        elif kind == 'set':
            modules = {f'same_{s}': same(s, 7000 + turn, f'set {turn}') for s in ('ev', 'web')}
            if self.rnd.random() < 0.7:
                modules['other'] = self.other(step=f't{turn}')
            fates = d.good('PUT', '/v1/modules', {'modules': modules})['rules']
        elif kind in ('dry', 'check'):
            before = d.good('GET', '/v1/modules')
            if kind == 'dry':
                fates = self.put(self.other(step=f'd{turn}'), '?dry_run=1')['rules']
            else:
                fates = d.good('POST', '/v1/rules:check?module=other', self.other(step=f'd{turn}'))['rules']
            check(d.good('GET', '/v1/modules') == before, 'a dry run changes nothing')
        elif kind == 'comment':
            text = d.good('GET', mod)['text']
            fates = d.good('PUT', mod, f'# comment {turn}\n' + text)['rules']
            check(fates[source + '_same'] == 'unchanged', f'{fates}')
        elif kind in ('file', 'sighup'):
            self.files += 1
            n = self.rnd.randrange(7)
            d.write('rules/by_file.rule', f'rule by_file {{ match by k {{ a{turn}: {source} where n == {n} }} }}\n')
            if kind == 'file':
                fates = d.good('POST', '/v1/rules:reload')['rules']
            else:
                d.process.send_signal(signal.SIGHUP)
                text = lambda: d.good('GET', '/v1/modules/by_file.rule')['text']
                until('read by SIGHUP', lambda: d.ask('GET', '/v1/modules/by_file.rule')[0] == 200 and f'a{turn}:' in text())
        for name, fate in fates.items():
            check(name not in steadies or fate == 'unchanged', f'{kind}: {name} is {fate}')


def waits(d, feeder):
    """How long it took from an event to the alert it made, in ms: of events that were sent by file."""
    took = []
    for alert in d.alerts():
        mark = alert['fields'].get('mark')
        if mark in feeder.sent:
            at = datetime.datetime.fromisoformat(alert['detected_at'].replace('Z', '+00:00'))
            took.append((at.timestamp() - feeder.sent[mark]) * 1000)
    return sorted(took)


PROBE = 'rule probe { match by mark { a: ev where mark like "ev-*" } emit { mark = a.mark } }\n'


def part_load():
    """A hundred changes of all kinds: rules that stay, and rules whose text changes and whose shape does not, tell
    what an engine tells that was never reloaded."""
    seed = http_daemon.SEED
    rnd = random.Random(seed)
    d = Daemon(rules={'steady.rule': steady('ev') + steady('web'), 'probe.rule': PROBE}, source=SOURCES)
    changer = Changer(d, rnd)
    feeder = Feeder(d, random.Random(seed + 1), 0.02)
    feeder.start()
    reloads = int(os.environ.get('RELOADS', 100))
    kinds = (Changer.KINDS * reloads)[:reloads]
    rnd.shuffle(kinds)
    begin = time.monotonic()
    for kind in kinds:
        changer.change(kind)
        check(not feeder.failed, f'{feeder.failed}')
    took = time.monotonic() - begin
    feeder.end()
    swaps = [float(line.split('ms=')[1]) for line in d.log().splitlines() if 'msg="swapped"' in line]
    compare(d, feeder, seed)
    waited = waits(d, feeder)
    check(len(waited) > 20, f'{len(waited)} probes')
    print(f'{len(kinds)} changes in {took:.1f} s: {len(swaps)} swaps, the longest {max(swaps):.0f} ms, half within '
          f'{sorted(swaps)[len(swaps) // 2]:.0f} ms; an event of a file waited at most {waited[-1]:.0f} ms for its '
          f'alert, half {waited[len(waited) // 2]:.0f} ms')


# ---- kills in the middle of changes -----------------------------------------------------------------

STEPS = ['swap_decided', 'swap_stopped', 'swap_begun', 'texts_submitted', 'change_durable', 'barrier_placed',
         'epoch_closed', 'epoch_encoding', 'epoch_submitted', 'epoch_numbered', 'epoch_written', 'epoch_done', 'epoch_told',
         'store_write', 'store_written', None]


class Changed(Mortal):
    """One whose rules change."""

    def seen(self):
        """Versions and texts of its modules, and which rules are enabled; None: it died."""
        modules, rules = self.tried('GET', '/v1/modules'), self.tried('GET', '/v1/rules')
        if not modules or not rules:
            return None
        texts = {}
        for name in [m['name'] for m in modules[2]['modules'] if m['origin'] == 'api']:
            got = self.tried('GET', '/v1/modules/' + name)
            if not got:
                return None
            texts[name] = got[2]['text']
        return texts, {r['name']: r['enabled'] for r in rules[2]['rules']}

    def audited(self):
        return self.good('GET', '/v1/audit?limit=1')['entries'][0]['number']


def next_change(rnd, turn, before):
    """Method, path, body; and what comes of it."""
    texts, rules = before
    source = rnd.choice(['ev', 'web'])
    name = 'same_' + source
    kind = rnd.choice(['put', 'put', 'comment', 'delete', 'switch', 'set', 'rollback'])
    text = (f'rule other {{ match by k within 30s {{ s{turn}: {source} where n == {rnd.randrange(6)}  '
            f'z: {source} where n == 1 }} }}\n')
    if kind == 'delete' and 'other' in texts:
        without = lambda d: {n: v for n, v in d.items() if n != 'other'}
        return ('DELETE', '/v1/modules/other', None), (without(texts), without(rules))
    if kind == 'switch' and 'other' in rules:
        on = not rules['other']
        return ('POST', f'/v1/rules/other:{"enable" if on else "disable"}', None), (texts, {**rules, 'other': on})
    if kind == 'comment':
        longer = f'# {turn}\n' + texts[name]
        return ('PUT', '/v1/modules/' + name, longer), ({**texts, name: longer}, rules)
    if kind == 'rollback':
        return ('POST', f'/v1/modules/{name}/rollback?version=1', None), ({**texts, name: same(source, 0, 'start')}, rules)
    with_other = {'other': True, **rules}
    if kind == 'set':
        made = {**{f'same_{s}': same(s, turn, f'set {turn}') for s in ('ev', 'web')}, 'other': text}
        return ('PUT', '/v1/modules', {'modules': made}), (made, with_other)
    return ('PUT', '/v1/modules/other', text), ({**texts, 'other': text}, with_other)


class Life:
    """Of a daemon that is to die at a step of a change, or (None) at any moment of one."""

    def __init__(self, d, rnd, step, before):
        self.d, self.rnd, self.step, self.before = d, rnd, step, before
        self.changes, self.audits = 0, 0   # that were seen to be there
        self.wanted, self.answer = None, None  # of the last one, which nobody saw

    def one(self, turn):
        """One change. True: that was the last one."""
        question, after = next_change(self.rnd, turn, self.before)
        timer = threading.Timer(self.rnd.random() * 0.1, self.d.process.kill) if self.step is None else None
        if timer:
            timer.start()
        self.wanted, self.answer = after, self.d.tried(*question)
        if timer:
            timer.join()
        if self.answer:
            check(self.answer[0] == 200, f'{question}: {self.answer}')
        seen = self.d.seen() if self.answer and not timer else None
        if not seen:
            return True
        check(seen == after, f'{question} made {seen} of {self.before}')
        self.changes += 1
        self.audits += self.answer[2]['changed']
        self.before, self.wanted, self.answer = after, None, None
        return False

    def judge(self, seen, audits, what):
        """What is there behind a restart. audits: entries since the life began."""
        done = self.wanted is not None and seen == self.wanted
        check(done or seen == self.before, f'{what}: {seen} is neither {self.before} nor {self.wanted}')
        check(done or not self.answer, f'{what}: it was answered, and is not there')
        more = done and self.wanted != self.before
        check(audits == self.audits + more, f'{what}: {audits} audit entries instead of {self.audits + more}')
        return self.changes + more


def part_kills():
    """Killed at the steps of a change and at random moments: the set is the one from before or from after, what was
    answered is there with its audit entry, and alerts are there once."""
    if not http_daemon.needs_failpoints('kills at each step of a change'):
        return
    seed = http_daemon.SEED
    rnd = random.Random(seed)
    d = Changed(rules={'steady.rule': steady('ev') + steady('web')}, source=SOURCES)
    for source in ('ev', 'web'):
        d.good('PUT', f'/v1/modules/same_{source}', same(source, 0, 'start'))
    feeder = Feeder(d, random.Random(seed + 1), 0.05)
    feeder.start()
    before, audits, changes, turn = d.seen(), d.audited(), 0, 0
    hit = dict.fromkeys(STEPS, 0)
    for step in STEPS * int(os.environ.get('TURNS', 2)):
        d.port = 1
        d.kill()
        often = 3 if step and not step.startswith(('epoch', 'store', 'barrier')) else 8
        d.env = {'TOCSIN_FAILPOINTS': f'{step}=kill@{rnd.randrange(often) + 1}'} if step else {}
        life = Life(d, rnd, step, before)
        ended = not d.start()
        while not ended and life.changes < 20:
            turn += 1
            ended = life.one(turn)
        if ended:
            d.died()
            hit[step] += 1
        else:
            d.port = 1
            d.kill()
        d.env = {}
        check(d.start(), 'it starts again')
        before = d.seen()
        now = d.audited()
        changes += life.judge(before, now - audits, f'seed {seed}, killed at {step}')
        audits = now
        check(not feeder.failed, f'posting: {feeder.failed}')
    feeder.end()
    compare(d, feeder, seed)
    never = [step for step in STEPS if not hit[step]]
    print(f'{sum(hit.values())} kills among {changes} changes; never at: {", ".join(never) or "none"}')


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
if __name__ == '__main__':
    http_daemon.run_parts(PARTS, sys.argv[3:])
