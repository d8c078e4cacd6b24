# SPDX-License-Identifier: Apache-2.0
"""A receiver of webhooks beside a daemon of tests."""
import json
import os
import subprocess
import sys

import http_daemon
from http_daemon import Daemon, directory, until

RECEIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../webhook/receiver.py')
EACH = 'rule each { match by n { a: ev where n >= 0 } emit { n = a.n } }\n'


def event(n, **more):
    return {'ts': 1000 + n, 'n': n, 'k': f'k{n % 5}', **more}


class Hook:
    """A receiver of webhooks that answers as `does` says (receiver.py)."""

    def __init__(self, steps):
        self.dir = directory()
        self.does(steps)
        self.process = subprocess.Popen([sys.executable, RECEIVER, '--log', self.path('log'), '--port-file', self.path('port'),
                                         '--script', self.path('script')], stdout=subprocess.DEVNULL)
        http_daemon.running.append(self.process)
        until('a receiver', lambda: os.path.exists(self.path('port')) and open(self.path('port')).read().strip())
        self.url = f'http://127.0.0.1:{int(open(self.path("port")).read())}/hook'

    def path(self, name):
        return os.path.join(self.dir, name)

    def does(self, steps):
        with open(self.path('script.new'), 'w') as f:
            f.write(f'/hook {steps}\n')
        os.rename(self.path('script.new'), self.path('script'))

    def got(self, steps='200'):
        """Bodies that were answered so."""
        log = open(self.path('log')).read().splitlines() if os.path.exists(self.path('log')) else []
        bodies = [json.loads(r['body']) for r in map(json.loads, log) if r['did'] == steps]
        return [b['data'] for b in bodies]

    def sink(self, more=''):
        return f'sink hook {{ {more} webhook "{self.url}" allow "127.0.0.1" body tocsin retry_least 10ms retry_most 100ms }}\n'


def hook_daemon(steps, to='hook', kind=Daemon, **more):
    hook = Hook(steps)
    d = kind(rules={'each.rule': EACH}, source=http_daemon.FILES + hook.sink() + f'default_to {to}\n', **more)
    return hook, d
