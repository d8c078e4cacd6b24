# SPDX-License-Identifier: Apache-2.0
"""How many alerts the rules of this folder give on the real logs.

    python3 real_numbers.py oracle           asks the oracle of tests/oracle
    python3 real_numbers.py TOCSIN           runs `TOCSIN replay` on the logs as they are, gzipped

The logs are in TOCSIN_DATA (default: ../shared/data beside the source tree); without them nothing
is tested, which is said loudly, and is a failure where CI is set.
"""
import collections
import datetime
import gzip
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests"))
import skip  # noqa: E402
sys.path.insert(0, os.path.join(TOP, "tests", "oracle"))

# log, its time field, the rules' file, rule -> alerts
NUMBERS = [
    ("linux_auth", "timestamp", "ssh_brute_force", {"ssh_brute_force": 98}),
    ("linux_auth", "timestamp", "ssh_login_session", {"ssh_login_session": 226}),
    ("linux_auth", "timestamp", "ssh_never_closed",
     {"ssh_never_closed_first": 16, "ssh_never_closed_last": 16, "ssh_never_closed_each": 16}),
    ("cloudtrail", "eventTime", "cloudtrail_user_key", {"cloudtrail_user_key": 2}),
    ("cloudtrail", "eventTime", "cloudtrail_role",
     {"cloudtrail_role_first": 8, "cloudtrail_role_last": 8, "cloudtrail_role_each": 8}),
    ("cloudtrail", "eventTime", "cloudtrail_parameter", {"cloudtrail_parameter": 39}),
]


def read_log(path, source, time_field):
    from oracle import Event
    events, offset = [], 0
    with gzip.open(path, "rb") as log:
        for line in log:
            fields = json.loads(line)
            when = datetime.datetime.fromisoformat(fields[time_field].replace("Z", "+00:00"))
            events.append(Event(int(when.timestamp()) * 10**9, source, offset, fields))
            offset += len(line)
    return events


def count_by_oracle(path, log, time_field, rule_path):
    from oracle import run_module
    from rule_text import read_rules
    with open(rule_path, encoding="utf-8") as text:
        module = read_rules(text.read())
    return collections.Counter(a.rule for a in run_module(module, read_log(path, log, time_field)))


def count_by_replay(program, path, log, time_field, rule_path):
    command = [program, "replay", "-r", rule_path, "--time", f"{log}={time_field}", f"{log}={path}"]
    # It is out of order: its events are up to 579 s late.
    if log == "cloudtrail":
        command += ["--lateness", "10m"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(" ".join(command) + f" ended with {done.returncode}\n{done.stderr}")
        return None
    return collections.Counter(json.loads(line)["rule"] for line in done.stdout.splitlines() if line)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TOCSIN", "./tocsin")
    data = os.environ.get("TOCSIN_DATA") or os.path.join(TOP, "..", "shared", "data")
    passed = failed = 0
    for log, time_field, rules, wanted in NUMBERS:
        path = os.path.join(data, log + ".ndjson.gz")
        if not os.path.exists(path):
            skip.skip(f"the real logs: there is no {path} (set TOCSIN_DATA)")
        rule_path = os.path.join(HERE, rules + ".rule")
        if program == "oracle":
            found = count_by_oracle(path, log, time_field, rule_path)
        else:
            found = count_by_replay(program, path, log, time_field, rule_path)
        for rule, number in wanted.items():
            if found is not None and found[rule] == number:
                passed += 1
                print(f"ok   {rule}: {number} alerts on {log}")
            else:
                failed += 1
                print(f"FAIL {rule}: {number} alerts expected on {log}, "
                      f"{'none could be counted' if found is None else found[rule]} found")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
