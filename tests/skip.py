# SPDX-License-Identifier: Apache-2.0
"""As skip.sh, for tests in Python.

    skip(what)       ends as skipped (77) and says so; as failed where CI is set
    left_out(what)   goes on without a part, and says so; `end` then ends the test as `skip` does
    end()            last of all
"""
import os
import sys

missing = []


def skip(what):
    failed = bool(os.environ.get('CI'))
    print(f'{"FAILED" if failed else "SKIPPED"}: NOT TESTED: {what}')
    sys.exit(1 if failed else 77)


def left_out(what):
    print(f'NOT TESTED: {what}')
    missing.append(what)


def end():
    if missing:
        skip('; '.join(missing))
