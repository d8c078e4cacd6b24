# SPDX-License-Identifier: Apache-2.0
"""tocsind on the real logs: read, killed (-9) a few times, and its alerts are those of a replay.

    python3 daemon_numbers.py TOCSIN TOCSIND

The logs are followed as they grow (each is given in pieces while the daemon runs and dies). They are in
TOCSIN_DATA (default: ../shared/data beside the source tree); without them nothing is tested, which
is said loudly, and is a failure where CI is set.
"""
import collections
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests"))
import skip  # noqa: E402

# log, its time field, lateness, the rules' files, most lines
LOGS = [
    ("linux_auth", "timestamp", "0s",
     ["ssh_brute_force", "ssh_login_session", "ssh_never_closed", "ssh_failures"], 10000),
    ("cloudtrail", "eventTime", "10m",
     ["cloudtrail_user_key", "cloudtrail_role", "cloudtrail_parameter"], 10000),
    ("trades", "timestamp", "0s", ["trades_windows"], 60000),
]
LIMIT = 120  # seconds for anything


def plain(lines):
    alerts = collections.Counter()
    for line in lines:
        alert = json.loads(line)
        alert.pop("detected_at", None)
        alerts[json.dumps(alert, sort_keys=True)] += 1
    return alerts


def written(place):
    path = os.path.join(place, "alerts.ndjson")
    if not os.path.exists(path):
        return collections.Counter()
    with open(path, encoding="utf-8") as text:
        return plain(line for line in text.read().split("\n") if line.endswith("}"))


def prepare(place, log, time_field, lateness, rules, follow):
    os.makedirs(os.path.join(place, "rules"), exist_ok=True)
    for rule in rules:
        with open(os.path.join(HERE, rule + ".rule"), encoding="utf-8") as text:
            content = text.read()
        with open(os.path.join(place, "rules", rule + ".rule"), "w", encoding="utf-8") as out:
            out.write(content)
    path = os.path.join(place, "tocsin.conf")
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"""engine {{ rules "rules"  state "state"  checkpoint 100ms }}
source {log} {{ file "{log}.ndjson"  time `{time_field}`  lateness {lateness}  idle 1d  follow {follow} }}
sink disk {{ file "alerts.ndjson" }}
""")
    return path


def run(tocsin, tocsind, data, log, time_field, lateness, rules, most, rng):
    with gzip.open(os.path.join(data, log + ".ndjson.gz"), "rb") as packed:
        lines = packed.readlines()[:most]
    with tempfile.TemporaryDirectory() as place:
        conf = prepare(place, log, time_field, lateness, rules, "true")
        events = os.path.join(place, log + ".ndjson")
        given, kills = 0, 0
        while given < len(lines):
            daemon = subprocess.Popen([tocsind, "-c", conf], stderr=subprocess.DEVNULL)
            for _ in range(3):
                piece = rng.randint(1, max(2, len(lines) // 8))
                with open(events, "ab") as out:
                    out.writelines(lines[given:given + piece])
                given += piece
                time.sleep(rng.uniform(0.05, 0.3))
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
            kills += 1
        prepare(place, log, time_field, lateness, rules, "false")  # the end of input comes now
        done = subprocess.run([tocsind, "-c", conf], stderr=subprocess.PIPE, timeout=LIMIT, check=False)
        replay = subprocess.run([tocsin, "replay", "-c", conf], capture_output=True, text=True,
                                timeout=LIMIT, check=False)
        if done.returncode != 0 or replay.returncode != 0:
            print(done.stderr.decode(errors="replace")[-2000:], replay.stderr[-2000:])
            return False
        wanted, found = plain(replay.stdout.splitlines()), written(place)
        lost, more = wanted - found, found - wanted
        good = not lost and not more and sum(wanted.values()) > 0
        print(f"{'ok  ' if good else 'FAIL'} {log}: {len(lines)} events, {sum(wanted.values())} alerts, "
              f"{kills} kills, {sum(lost.values())} lost, {sum(more.values())} more than there are")
        return good


def main():
    tocsin, tocsind = sys.argv[1:3]
    data = os.environ.get("TOCSIN_DATA") or os.path.join(TOP, "..", "shared", "data")
    seed = int(os.environ.get("SEED") or time.time())
    rng = random.Random(seed)
    failed = 0
    for log, *rest in LOGS:
        if not os.path.exists(os.path.join(data, log + ".ndjson.gz")):
            skip.left_out(f"the daemon on a real log: there is no {log} in {data} (set TOCSIN_DATA)")
            continue
        failed += not run(tocsin, tocsind, data, log, *rest, rng)
    print(f"SEED={seed}, {failed} failed")
    if not failed:
        skip.end()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
