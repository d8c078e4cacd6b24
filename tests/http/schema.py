#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document of a running daemon: openapi-spec-validator looks at it, and schemathesis asks what it says
may be asked, and what it says may not, of every route.

    schema.py TOCSIND TOCSIN TOOLS [EXAMPLES]

TOOLS: the directory of both programs. EXAMPLES (8) of each route; SEED as for schemathesis.
"""
import json
import os
import subprocess
import sys

import http_daemon
from http_daemon import MARK, PAIR, Daemon, check

TOOLS = sys.argv[3]
EXAMPLES = sys.argv[4] if len(sys.argv) > 4 else '8'
ROLES = ('read', 'rules', 'ingest', 'admin')
SOURCES = http_daemon.FILES + ('source web { http {} time ts idle 1s }\n'
                       'sink hook { webhook "http://127.0.0.1:1/"  allow ["127.0.0.1"] }\n'
                       'default_to disk\n')
# Left out: a stream has no end, and what is posted to a daemon that is drained is 503.
# What the document cannot say: a text of rules that means nothing is 422; who changes dead letters says which; a
# rule that has a key is asked for one of it; 20-17 are no numbers; a cursor comes from an answer with the same filters.
CONFIG = '''
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 412, 422, 429, "5xx"]
'''
LOOSE = '''
[[operations]]
include-path = "%s"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 400, 401, 403, 404, 409, 412, 422, 429, "5xx"]
'''
LOOSE_PATHS = [path for base in ('/v1/dead_letters', '/v1/sinks/{name}/dead_letters') for path in (base, base + ':drop',
               base + ':replay')] + ['/v1/state/{name}', '/v1/alerts']


def ask_all(d, role, *options):
    """Schemathesis with the token of this role (None: of nobody)."""
    d.write('schemathesis.toml', CONFIG + ''.join(LOOSE % path for path in LOOSE_PATHS))
    header = ['-H', f'Authorization: Bearer secret-{role}'] if role else []
    seed = ['--seed', os.environ['SEED']] if os.environ.get('SEED') else []
    run = subprocess.run(
        [os.path.join(TOOLS, 'st'), 'run', f'http://127.0.0.1:{d.port}/v1/openapi.json', *header, *seed, *options,
         '--exclude-path', '/v1/alerts/stream', '--exclude-path', '/v1/drain', '--warnings', 'off', '--continue-on-failure', '--no-shrink',
         '--request-timeout', '60', '--suppress-health-check', 'all'],
        cwd=d.dir, capture_output=True, text=True, env={**os.environ, 'NO_COLOR': '1'})
    check(d.process.poll() is None, f'the daemon died: {run.stdout[-3000:]}')
    check(run.returncode == 0, f'as {role}:\n{run.stdout[-20000:]}{run.stderr[-3000:]}')
    print(f'as {role}:', ' '.join(line.strip() for line in run.stdout.splitlines() if 'generated' in line or 'Tested:' in line))


def main():
    d = Daemon(rules={'mark.rule': MARK, 'pair.rule': PAIR % ('x', 'a', 'b')}, source=SOURCES,
               tokens={role: f'secret-{role}' for role in ROLES})
    for text in ('# first\n', '# second\nrule one { match by k { a: ev where n == 1 } }\n'):
        d.good('PUT', '/v1/modules/x', text, token='secret-rules')
    d.events({'ts': 100, 'k': 'm', 'n': 99}, {'ts': 101, 'k': 'x', 'n': 1})
    run = subprocess.run([os.path.join(TOOLS, 'python'), '-c',
                          'import json, sys; from openapi_spec_validator import validate; validate(json.load(sys.stdin))'],
                         input=json.dumps(d.good('GET', '/v1/openapi.json')), capture_output=True, text=True)
    check(run.returncode == 0, f'openapi-spec-validator: {run.stderr[-3000:]}')
    ask_all(d, 'admin', '-n', EXAMPLES)
    # Others are refused where the document says so; nobody gets a 500.
    for role in ('read', 'ingest', None):
        ask_all(d, role, '-n', '2', '--phases', 'coverage', '--mode', 'positive', '--checks',
                'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance')
    problems = [line for line in d.log().splitlines() if 'level=error' in line]
    check(not problems, f'errors are in the log: {problems[:5]}')
    d.stop()


if __name__ == '__main__':
    main()
    print(f'{http_daemon.checks} checks')
