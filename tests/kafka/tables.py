# SPDX-License-Identifier: Apache-2.0
"""Tables that are read from topics, against a real broker: as of which time events see rows, records of all kinds,
restarts and kills, topics that are compacted, re-created or get more partitions, modules that come and go over HTTP,
and brokers that are away.

    tables.py TOCSIND TOCSIN [TEST...]

It waits for conditions, and never measures time. SEED=N repeats a run of `killed`; KILLS=N."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from broker import Broker, Missing, free_port, skip  # noqa: E402
from tables_place import COMPACT, FOREVER, SEES, TOOLS, Daemon, Oracle, alerts, begin, event, expect, record, told  # noqa: E402
from tocsind import Failure, kill_all, write  # noqa: E402


# ---- what events see ----------------------------------------------------------------------------------------


def first(broker):
    """Rows from before and from between the events, two partitions, times that go back, tombstones, broken ones."""
    rnd = random.Random(1)
    oracle, lines = Oracle(), []
    broker.create("tables_first", 2, **COMPACT)
    broker.create("tables_first_ev", 3, **FOREVER)
    keys = [f"u{i}" for i in range(20)]
    for i in range(2000):
        key = rnd.choice(keys)
        partition, second = int(key[1:]) % 2, i / 10 - rnd.choice([0, 0, 0, 3])
        value = None if rnd.random() < 0.2 else {"team": f"t{i}"}
        oracle.put(partition, second, key, value)
        lines.append(record(partition, second, key, value))
        if i % 100 == 0:  # records that are no rows: what was there stays
            lines += [record(partition, second, key, "no json"), record(partition, second, key, ""),
                      record(partition, second, key, "[1]")]
    broker.produce_lines("tables_first", lines)
    events = [(n, rnd.random() * 210 - 2, rnd.choice([*keys, "nobody"])) for n in range(600)]
    events.sort(key=lambda e: e[1])
    events = [(n, round(second, 3), user) for n, second, user in events]
    broker.produce_lines("tables_first_ev", [f"{n % 3}\t0\t-\t{event(n, second, user)}" for n, second, user in events])
    begin(broker, 'kafka { source ev  topic "tables_first" } key @kafka.key', topic="tables_first_ev")
    daemon = Daemon()
    expect(daemon, {n: oracle.see(second, user) for n, second, user in events})
    dead = daemon.get("/v1/dead_letters?limit=1000")["dead_letters"]
    daemon.until("dead letters", lambda: len(daemon.get("/v1/dead_letters?limit=1000")["dead_letters"]) == 60)
    dead = daemon.get("/v1/dead_letters?limit=1000")["dead_letters"]
    assert {d["origin"] for d in dead} == {"table users tables_first/0", "table users tables_first/1"}, dead[0]
    # later starts go on, and read nothing again
    daemon.stop()
    daemon = Daemon()
    more = [record(0, 300, "u0", {"team": "later"}), record(1, 301, "u1", None)]
    broker.produce_lines("tables_first", more)
    daemon.has_read("users", 301)
    broker.produce_lines("tables_first_ev", [f"0\t0\t-\t{event(1000, 302, 'u0')}", f"0\t0\t-\t{event(1001, 303, 'u1')}"])
    daemon.until("two more", lambda: len(alerts()) == 602)
    assert (told()[1000], told()[1001]) == ("later", None), told()
    daemon.until("two records", lambda: daemon.source("table users")["lines"] == 2)
    daemon.stop()


def keys(broker):
    """A row is named by its record's key, and found by a column: as numbers, and where two rows have one."""
    broker.create("tables_keys", 1, **COMPACT)
    broker.create("tables_keys_ev", 1, **FOREVER)
    rows = [("a", {"id": 1, "team": "one"}), ("b", {"id": 2.0, "team": "two"}), ("c", {"id": "1", "team": "text"}),
            ("d", {"id": True, "team": "truth"}), ("e", {"id": 5, "team": "below"}), ("f", {"id": 5, "team": "above"}),
            ("g", {"team": "no id"}), ("h", {"id": [1], "team": "list"}), ("i", {"id": 18446744073709551615, "team": "big"}),
            ("j", {"id": 7, "team": "was 7"}), ("j", {"id": 8, "team": "is 8"})]
    broker.produce_lines("tables_keys", [record(0, i, k, v) for i, (k, v) in enumerate(rows)])
    asks = [1, 1.0, 2, "1", True, 5, 18446744073709551615, 7, 8, None]
    broker.produce_lines("tables_keys_ev", [f"0\t0\t-\t{event(n, 100, user)}" for n, user in enumerate(asks)])
    begin(broker, 'kafka { source ev  topic "tables_keys" } key id', topic="tables_keys_ev")
    daemon = Daemon()
    want = ["one", "one", "two", "text", "truth", "above", "big", None, "is 8", None]
    expect(daemon, dict(enumerate(want)))
    daemon.until("dead letters", lambda: len(daemon.get("/v1/dead_letters")["dead_letters"]) == 2)
    # the row above goes: the one below is seen again, also when all of it was read from the state
    daemon.kill()
    daemon = Daemon()
    broker.produce_lines("tables_keys", [record(0, 200, "f", None)])
    daemon.has_read("users", 200)
    broker.produce_lines("tables_keys_ev", [f"0\t0\t-\t{event(20, 201, 5)}"])
    daemon.until("one more", lambda: len(alerts()) == len(asks) + 1)
    assert told()[20] == "below", told()
    daemon.stop()


def latest(broker):
    """`as_of latest`: rows of whatever time, read before the first event; two tables and a source on one topic."""
    broker.create("tables_latest", 1, **COMPACT)
    broker.create("tables_latest_ev", 1, **FOREVER)
    broker.produce_lines("tables_latest", [record(0, 1000, f"u{i}", {"team": f"t{i}", "ts": "2026-01-01T00:00:01Z"})
                                    for i in range(50)])
    broker.produce_lines("tables_latest_ev", [f"0\t0\t-\t{event(n, 10, f'u{n}')}" for n in range(60)])
    begin(broker, 'kafka { source ev  topic "tables_latest"  as_of latest } key @kafka.key', topic="tables_latest_ev",
          rules=f'table other = kafka {{ brokers "{broker.address}"  topic "tables_latest" }} key team\n'
                "rule also { match { a: raw where exists(team) } emit { team = a.team } }\n"
                "rule other { match { a: ev where a.user in other } }\n".replace("a.user", "user"))
    with open("tocsin.conf", "a", encoding="utf-8") as f:
        f.write(f'source raw {{ kafka {{ brokers "{broker.address}"  topics ["tables_latest"] }}  time ts }}\n')
    daemon = Daemon()
    daemon.until("all", lambda: len(alerts()) >= 110)
    sees = {a["fields"]["n"]: a["fields"].get("team") for a in alerts() if a["rule"] == "sees"}
    assert sees == {n: f"t{n}" if n < 50 else None for n in range(60)}, sees
    assert sorted(a["fields"]["team"] for a in alerts() if a["rule"] == "also") == sorted(f"t{i}" for i in range(50))
    assert not [a for a in alerts() if a["rule"] == "other"]
    daemon.until("rows", lambda: daemon.rows("users") == 50)
    daemon.is_read("other")
    daemon.stop()


def crowded(broker):
    """Far more rows and events than there is room for, those of one kind far ahead of the other: nobody waits for ever."""
    rnd = random.Random(3)
    broker.create("tables_crowded", 2, **COMPACT)
    broker.create("tables_crowded_ev", 2, **FOREVER)
    pad, oracle, rows, events = "x" * 400, Oracle(), [], []
    for i in range(6000):
        user = rnd.randrange(50)
        second = i / 10 + (400 if i > 3000 else 0)
        value = {"team": f"t{i}", "pad": pad}
        oracle.put(user % 2, second, f"u{user}", value)
        rows.append(record(user % 2, second, f"u{user}", value))
    times = sorted(round(rnd.random() * 1100, 3) for _ in range(4000))
    asked = [(n, second, f"u{rnd.randrange(50)}") for n, second in enumerate(times)]
    events = [f"{n % 2}\t0\t-\t{event(n, second, user, pad=pad)}" for n, second, user in asked]
    broker.produce_lines("tables_crowded_ev", events)
    broker.produce_lines("tables_crowded", rows[:2000])
    begin(broker, 'kafka { source ev  topic "tables_crowded" } key @kafka.key', topic="tables_crowded_ev",
          engine="buffer_limit 1MiB  queue_limit 1MiB")
    daemon = Daemon()
    broker.produce_lines("tables_crowded", rows[2000:])
    held = {}
    for place, _, key, team in sorted(oracle.versions, key=lambda v: v[:2]):
        held.setdefault(key, []).append((place, team))
    # rows that came when their time had gone by were not seen before: of those either answer is right
    daemon.until("all events", lambda: len(alerts()) >= len(asked))
    seen = told()
    for n, second, user in asked:
        right = [team for place, team in held[user] if place <= second]
        if seen[n] not in [*right, None] or (second < 190 and seen[n] != (right[-1] if right else None)):
            raise Failure(f"event {n} at {second} sees {seen[n]}")
    daemon.stop()


# ---- restarts ------------------------------------------------------------------------------------------------


def killed(broker):
    """Killed at random and at steps of checkpoints, with updates and events that come while it is down: as without."""
    seed = int(os.environ.get("SEED", "7"))
    rnd = random.Random(seed)
    oracle, want, now, n = Oracle(), {}, 0.0, 0
    users = [f"u{i}" for i in range(30)]
    broker.create("tables_killed", 3, **COMPACT)
    broker.create("tables_killed_ev", 2, **FOREVER)
    begin(broker, 'kafka { source ev  topic "tables_killed" } key @kafka.key', topic="tables_killed_ev")
    steps = [None, "barrier_placed=kill@3", "epoch_closed=kill@2", "epoch_encoding=kill@4", "epoch_submitted=kill@2", None]
    daemon = None
    for turn in range(int(os.environ.get("KILLS", "6"))):
        rows, events = [], []
        for _ in range(300):
            now = round(now + 0.01, 3)
            user = rnd.choice(users)
            if rnd.random() < 0.5:
                value = None if rnd.random() < 0.25 else {"team": f"{turn}.{now}"}
                partition = int(user[1:]) % 3
                oracle.put(partition, now, user, value)
                rows.append(record(partition, now, user, value))
            else:
                want[n] = (now, user)
                events.append(f"{n % 2}\t0\t-\t{event(n, now, user)}")
                n += 1
        broker.produce_lines("tables_killed", rows)
        broker.produce_lines("tables_killed_ev", events)
        now += 100
        daemon = Daemon(failpoints=steps[turn % len(steps)], wait=False)
        if steps[turn % len(steps)] is None:
            time.sleep(rnd.random() * 1.5)
            daemon.kill()
        else:
            try:
                daemon.process.wait(60)
            except subprocess.TimeoutExpired as late:
                raise Failure(f"{steps[turn % len(steps)]} was not hit") from late
    daemon = Daemon()
    expect(daemon, {k: oracle.see(*at) for k, at in want.items()})
    daemon.stop()


# ---- topics --------------------------------------------------------------------------------------------------


def compacted(broker):
    """Compaction has really run: what is left is the table."""
    broker.create("tables_compacted", 1, cleanup_policy="compact", segment_ms="100", min_cleanable_dirty_ratio="0.01",
                  delete_retention_ms="100", max_compaction_lag_ms="200")
    broker.create("tables_compacted_ev", 1, **FOREVER)
    for turn in range(3):
        broker.produce_lines("tables_compacted", [record(0, turn, f"u{i}", {"team": f"{turn}.{i}"}) for i in range(200)])
        broker.produce_lines("tables_compacted", [record(0, turn, f"u{i}", None) for i in range(0, 200, 10)])
        time.sleep(0.2)
    for i in range(600):  # a segment that is written to is not compacted: until another one is there
        broker.produce_lines("tables_compacted", [record(0, 4 + i, "roll", {"team": "-"})])
        left = [r["key"] for r in broker.consume("tables_compacted") if r["key"] != "roll"]
        if len(left) == len(set(left)) == 180:
            break
        time.sleep(0.2)
    else:
        raise Failure(f"it is not compacted: {len(left)} records of {len(set(left))} keys")
    broker.produce_lines("tables_compacted_ev", [f"0\t0\t-\t{event(i, 1000, f'u{i}')}" for i in range(200)])
    begin(broker, 'kafka { source ev  topic "tables_compacted" } key @kafka.key', topic="tables_compacted_ev")
    daemon = Daemon()
    expect(daemon, {i: None if i % 10 == 0 else f"2.{i}" for i in range(200)})
    daemon.until("181 rows", lambda: daemon.rows("users") == 181)
    daemon.stop()


def recreated(broker):
    """Another topic of this name: it is read anew, and rows that are no more go. More partitions, too."""
    broker.create("tables_recreated", 2, **COMPACT)
    broker.create("tables_recreated_ev", 1, **FOREVER)
    broker.produce_lines("tables_recreated", [record(i % 2, i, f"u{i}", {"team": "old"}) for i in range(10)])
    broker.produce_lines("tables_recreated_ev", [f"0\t0\t-\t{event(0, 20, 'u1')}"])
    begin(broker, 'kafka { source ev  topic "tables_recreated" } key @kafka.key', topic="tables_recreated_ev")
    daemon = Daemon()
    expect(daemon, {0: "old"})
    broker.add_partitions("tables_recreated", 3)
    broker.produce_lines("tables_recreated", [record(2, 30, "u1", {"team": "moved"})])
    daemon.has_read("users", 30)
    daemon.kill()
    broker.delete("tables_recreated")
    broker.create("tables_recreated", 2, **COMPACT)
    broker.produce_lines("tables_recreated", [record(i % 2, 40, f"u{i}", {"team": "new"}) for i in range(4)])
    daemon = Daemon()
    daemon.until("rows are gone", lambda: daemon.source("table users").get("partitions") == 2 and
                 not daemon.source("table users").get("loading"))
    broker.produce_lines("tables_recreated_ev", [f"0\t0\t-\t{event(n, 50 + n, f'u{n}')}" for n in (1, 2, 3, 4, 5)])
    expect(daemon, {0: "old", 1: "new", 2: "new", 3: "new", 4: None, 5: None})
    daemon.until("four rows", lambda: daemon.rows("users") == 4)
    daemon.stop()


def forgotten(broker):
    """Not read for longer than tombstones are kept: it is read anew, and rows that are no more go."""
    broker.create("tables_forgotten", 1, **COMPACT)
    broker.create("tables_forgotten_ev", 1, **FOREVER)
    broker.produce_lines("tables_forgotten", [record(0, i, f"u{i}", {"team": "old"}) for i in range(3)])
    begin(broker, 'kafka { source ev  topic "tables_forgotten"  reread_after 1ms } key @kafka.key',
          topic="tables_forgotten_ev")
    daemon = Daemon()
    daemon.has_read("users", 2)
    daemon.stop()
    broker.produce_lines("tables_forgotten", [record(0, 3, "u3", {"team": "new"})])
    daemon = Daemon()
    daemon.has_read("users", 3)
    broker.produce_lines("tables_forgotten_ev", [f"0\t0\t-\t{event(n, 10, f'u{n}')}" for n in range(5)])
    expect(daemon, {0: "old", 1: "old", 2: "old", 3: "new", 4: None})
    daemon.until("all of it was read again", lambda: daemon.source("table users")["lines"] == 4)
    assert "is read again from the start" in daemon.said()
    daemon.stop()


# ---- modules -------------------------------------------------------------------------------------------------


def module(broker):
    """A module over HTTP brings a table and takes it away; it names no brokers; another column is another table."""
    broker.create("tables_module", 1, **COMPACT)
    broker.create("tables_module_ev", 1, **FOREVER)
    broker.produce_lines("tables_module", [record(0, i, f"u{i}", {"team": f"t{i}", "floor": i}) for i in range(5)])
    begin(broker, 'kafka { source ev  topic "tables_module" } key @kafka.key', topic="tables_module_ev")
    write("rules/a.rule", "rule none { match { a: ev where n == -1 } }\n")
    daemon = Daemon()
    text = 'table users = kafka { source ev  topic "tables_module" } key @kafka.key\n' + SEES.format(table="users", more="")
    own = text.replace("source ev", f'brokers "{broker.address}"')
    code, body = daemon.ask("PUT", "/v1/modules/m.rule", own)
    assert code == 422 and "names no brokers" in body, (code, body)
    code, body = daemon.ask("PUT", "/v1/modules/m.rule", text.replace("source ev", "source eve"))
    assert code == 422 and "did you mean `ev`" in body, (code, body)
    assert daemon.ask("PUT", "/v1/modules/m.rule", text)[0] in (200, 201)
    daemon.is_read("users")
    broker.produce_lines("tables_module_ev", [f"0\t0\t-\t{event(1, 10, 'u1')}"])
    expect(daemon, {1: "t1"})
    more = text.replace("emit {", "emit { floor = users[a.user].floor ")
    assert daemon.ask("PUT", "/v1/modules/m.rule", more)[0] == 200
    daemon.is_read("users")
    broker.produce_lines("tables_module_ev", [f"0\t0\t-\t{event(2, 11, 'u2')}"])
    expect(daemon, {1: None, 2: 2}, field="floor")
    daemon.until("it was read anew", lambda: daemon.source("table users")["lines"] == 10)
    assert daemon.ask("PUT", "/v1/modules/n.rule", "rule none_either { match { a: ev where n == -2 } }\n")[0] in (200, 201)
    broker.produce_lines("tables_module", [record(0, 12, "u3", {"team": "t", "floor": 33})])
    daemon.has_read("users", 12)
    broker.produce_lines("tables_module_ev", [f"0\t0\t-\t{event(3, 13, 'u3')}"])
    expect(daemon, {1: None, 2: 2, 3: 33}, field="floor")
    daemon.until("and stays when it is the same", lambda: daemon.source("table users")["lines"] == 11)
    assert daemon.ask("DELETE", "/v1/modules/m.rule")[0] in (200, 204)
    daemon.until("its source is gone", lambda: daemon.source("table users") == {} and daemon.source("ev"))
    daemon.stop()
    Daemon().stop()
    state = subprocess.run([TOOLS[1], "state", "inspect", "state"], stdout=subprocess.PIPE, check=True).stdout.decode()
    assert "table users" not in state, state


# ---- brokers that are away -----------------------------------------------------------------------------------


def away(broker):
    """Before it was read once nothing is given; then a broker that is away holds nobody up, also over a restart.

    Events lie far apart: the clock goes on while brokers start, and none is to be late.
    """
    own = Broker(os.path.abspath("own"))
    with own:
        own.create("away", 1, **COMPACT)
        own.produce_lines("away", [record(0, 1, "u1", {"team": "one"})])
        own.kill()
        write("in.ndjson", event(1, 10, "u1") + "\n")
        begin(own, f'kafka {{ brokers "{own.address}"  topic "away" }} key @kafka.key', source='file "in.ndjson"')
        daemon = Daemon()
        daemon.until("it is stalled", lambda: daemon.source("table users").get("stalled"))
        code, body = daemon.ask("GET", "/readyz")
        assert code == 503 and "table_loading" in body, (code, body)
        assert alerts() == []
        own.restart()
        expect(daemon, {1: "one"})
        daemon.until("it is ready", lambda: daemon.ask("GET", "/readyz")[0] == 200)
        own.kill()
        daemon.until("it is stalled", lambda: daemon.source("table users").get("stalled"))
        with open("in.ndjson", "a", encoding="utf-8") as f:
            f.write(event(2, 1000, "u1") + "\n")
        expect(daemon, {1: "one", 2: "one"})
        daemon.kill()
        with open("in.ndjson", "a", encoding="utf-8") as f:
            f.write(event(3, 2000, "u1") + "\n")
        daemon = Daemon()
        expect(daemon, {1: "one", 2: "one", 3: "one"})
        own.restart()
        own.produce_lines("away", [record(0, 2001, "u1", {"team": "two"})])
        daemon.has_read("users", 2001)
        with open("in.ndjson", "a", encoding="utf-8") as f:
            f.write(event(4, 3000, "u1") + "\n")
        expect(daemon, {1: "one", 2: "one", 3: "one", 4: "two"})
        daemon.stop()


def missing(broker):
    """A topic that is not there yet is waited for; an empty one is read."""
    broker.create("tables_missing_ev", 1, **FOREVER)
    broker.produce_lines("tables_missing_ev", [f"0\t0\t-\t{event(1, 10, 'u1')}"])
    begin(broker, 'kafka { source ev  topic "tables_missing" } key @kafka.key', topic="tables_missing_ev")
    daemon = Daemon()
    daemon.until("it says so", lambda: "tables_missing" in daemon.source("table users").get("stalled", ""))
    for words in (["sources"], ["tables", "list"], ["status"]):
        said = subprocess.run([TOOLS[1], *words, "--url", f"http://127.0.0.1:{daemon.port}"], stdout=subprocess.PIPE,
                              check=False, text=True).stdout
        assert "topic tables_missing: " in said, said
    assert alerts() == []
    broker.create("tables_missing", 2, **COMPACT)
    expect(daemon, {1: None})
    daemon.stop()


# ---- replays -------------------------------------------------------------------------------------------------


DETECTED = re.compile(r',"detected_at":"[^"]*"')


def replay(*args, code=0, said="", **env):
    """The lines of its alerts."""
    done = subprocess.run([TOOLS[1], "replay", "-c", "tocsin.conf", *args], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False,
                          env=dict(os.environ, **env))
    if done.returncode != code or said not in done.stderr:
        raise Failure(f"{done.args} ended with {done.returncode}, not {code} and `{said}`: {done.stderr}")
    return sorted(DETECTED.sub("", line) for line in done.stdout.split("\n")[:-1])


def replayed(broker):
    """A replay gives the alerts of the daemon, with their ids: rows as of the events and the newest, times that go back,
    tombstones, broken ones, rows later than all events, decisions of time alone, another group of sources, an empty table,
    windows of a file's rows: they begin up to the last event, however late rows come."""
    rnd = random.Random(4)
    oracle, lines, newest = Oracle(), [], {}
    broker.create("tables_re", 2, **COMPACT)
    broker.create("tables_re_none", 1, **COMPACT)
    broker.create("tables_re_ev", 3, **FOREVER)
    for i in range(2000):
        key = rnd.randrange(20)
        second, value = i / 8 - rnd.choice([0, 0, 0, 3]), None if rnd.random() < 0.2 else {"team": f"t{i}"}
        oracle.put(key % 2, second, f"u{key}", value)
        newest[f"u{key}"] = value and value["team"]
        lines.append(record(key % 2, second, f"u{key}", value))
        if i % 100 == 0:
            lines += [record(key % 2, second, f"u{key}", "no json"), record(key % 2, second, f"u{key}", "[1]")]
    broker.produce_lines("tables_re", lines)
    asked = sorted((round(rnd.random() * 210 - 2, 3), f"u{rnd.randrange(21)}") for _ in range(600))
    events = [event(n, second, user) for n, (second, user) in enumerate(asked)]
    broker.produce_lines("tables_re_ev", [f"{n % 3}\t0\t-\t{text}" for n, text in enumerate(events)])
    begin(broker, 'kafka { source ev  topic "tables_re" } key @kafka.key', topic="tables_re_ev", rules=f"""
table newest = kafka {{ source ev  topic "tables_re"  as_of latest }} key @kafka.key
table none = kafka {{ brokers "{broker.address}"  topic "tables_re_none" }} key @kafka.key
rule last {{ match {{ a: ev where exists(n) }} emit {{ n = a.n  team = newest[a.user].team }} }}
rule alone {{
  match by user {{ a: ev where n % 5 == 0  not b: ev where n % 5 == 1 within 20s }}
  emit {{ user = a.user  team = users[a.user].team }}
}}
rule silent {{
  window tumbling 10s by user in known {{ a: ev having count() == 0 }}
  emit {{ user = user  team = users[user].team }}
}}
table known = file "known.csv" key user
rule empty {{ match {{ a: ev where user in none }} }}
rule other {{ match by user {{ a: logs where n % 3 == 0  not b: logs where n % 3 == 1 within 5s }} emit {{ n = a.n }} }}
""")
    write("rules/known.csv", "user\n" + "".join(f"u{n}\n" for n in range(25)))
    with open("tocsin.conf", encoding="utf-8") as f:
        text = f.read().replace("idle 500ms", "follow false  lateness 3s")
    write("tocsin.conf", text + 'source logs { file "logs.ndjson"  time ts  follow false }\n')
    write("logs.ndjson", "".join(event(n, n * 2, f"u{n % 4}") + "\n" for n in range(150)))
    daemon = Daemon(wait=False)
    if daemon.process.wait(300) != 0:
        raise Failure(f"it ended with {daemon.process.returncode}:\n{daemon.said()[-3000:]}")
    with open("alerts.ndjson", encoding="utf-8") as f:
        want = sorted(DETECTED.sub("", line) for line in f.read().split("\n")[:-1])
    for args in ([], ["--memory", "300KB"]):
        found = replay(*args, said="table users: 2000 records, 40 rejected")
        if found != want:
            raise Failure(f"{args}: {len(found)} alerts, {len(want)} of the daemon: {list(set(found) ^ set(want))[:6]}")
    by_rule = {}
    for alert in map(json.loads, want):
        by_rule.setdefault(alert["rule"], []).append(alert["fields"])
    assert set(by_rule) == {"sees", "last", "alone", "other", "silent"}, set(by_rule)
    seen = {a["n"]: a.get("team") for a in by_rule["sees"]}
    assert seen == {n: oracle.see(second, user) for n, (second, user) in enumerate(asked)}, "the oracle says otherwise"
    seen = {a["n"]: a.get("team") for a in by_rule["last"]}
    assert seen == {n: newest.get(user) for n, (_, user) in enumerate(asked)}, "the newest rows"
    # files in the place of the source: the table is read all the same, and so are the secrets that it borrows
    write("ev.ndjson", "\n".join(events) + "\n")
    write("last.rule", 'table newest = kafka { source ev  topic "tables_re"  as_of latest } key @kafka.key\n'
                       "rule last { match { a: ev where exists(n) } emit { n = a.n  team = newest[a.user].team } }\n")
    only = ["-r", "last.rule", "ev=ev.ndjson"]
    plain = text.replace('"  topics', '"  options { sasl.password env("TABLES_RE") }  topics')
    write("tocsin.conf", plain)
    replay(*only, code=2, said="TABLES_RE")
    found = {f["n"]: f.get("team") for f in (json.loads(line)["fields"] for line in replay(*only, TABLES_RE="x"))}
    assert found == {n: newest.get(user) for n, (_, user) in enumerate(asked)}, "files beside a table"
    # what is not there
    write("tocsin.conf", text)
    write("last.rule", 'table newest = kafka { source ev  topic "tables_re_never" } key @kafka.key\n'
                       "rule last { match { a: ev where user in newest } }\n")
    assert replay(*only, code=1, said="table newest: topic tables_re_never: ") == []
    write("last.rule", f'table newest = kafka {{ brokers "127.0.0.1:{free_port()}"  topic "tables_re" }} key @kafka.key\n'
                       "rule last { match { a: ev where user in newest } }\n")
    assert replay(*only, code=1, said="no broker answers") == []


TESTS = [first, keys, latest, crowded, killed, recreated, forgotten, module, missing, replayed]
OWN_BROKER = [compacted, away]


def run(test, broker, top):
    os.mkdir(os.path.join(top, test.__name__))
    os.chdir(os.path.join(top, test.__name__))
    began = time.monotonic()
    try:
        test(broker)
        print(f"{test.__name__}: ok ({time.monotonic() - began:.1f} s)", flush=True)
        return True
    except (Failure, AssertionError, subprocess.SubprocessError) as failure:
        print(f"{test.__name__}: FAILED: {failure}", flush=True)
        return False
    finally:
        kill_all()


def main():
    wanted = sys.argv[3:] or [t.__name__ for t in TESTS + OWN_BROKER]
    good = True
    top = tempfile.mkdtemp(prefix="tocsin-tables-")
    try:
        for tests, own in ((TESTS, False), (OWN_BROKER, True)):
            tests = [t for t in tests if t.__name__ in wanted]
            if not tests:
                continue
            with Broker(os.path.join(top, "broker-own" if own else "broker"), ["log.cleaner.backoff.ms=100"],
                        shared=not own) as broker:
                for test in tests:
                    good &= run(test, broker, top)
    except Missing as missing_one:
        skip(missing_one)
    if not good and os.environ.get("KEEP"):
        print(f"kept: {top}")
    else:
        os.chdir("/")
        shutil.rmtree(top, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
