#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The input of the kill test: NDJSON files of three sources over some hours of event time.

    generate.py DIR --seed N --events N [--tidy PIECES]

Writes DIR/auth-a.ndjson, auth-b.ndjson, net.ndjson, shop-1.ndjson, shop-2.ndjson and counts.json
({"late": .., "dead": ..}, by source). Lines of a file are out of order within the source's lateness
(LATENESS), some are later than that, some are no JSON, some have no time, some times are equal.
With --tidy there are no late or broken lines, and in each of PIECES pieces of a file all times lie
behind those of the piece before it (pieces.json: their ends), so the pieces may come as files of their
own.
"""
import argparse
import json
import os
import random

START = 1767225600  # 2026-01-01T00:00:00Z
HOURS = 6
LATENESS = {"auth": 10, "net": 30, "shop": 5}  # seconds
FILES = {"auth": ["auth-a", "auth-b"], "net": ["net"], "shop": ["shop-1", "shop-2"]}
BROKEN = ['{"type":"login","user":', "not json", '{"a":"\\ud800"}', "[1,2]", '{"x":1}', '{"time":"soon"}']


def rfc3339(t):
    ms = int(round(t * 1000))
    s, ms = divmod(ms, 1000)
    day, s = divmod(s - START, 86400)
    return "2026-01-%02dT%02d:%02d:%02d.%03dZ" % (1 + day, s // 3600, s // 60 % 60, s % 60, ms)


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.n = 0
        self.orders = []

    def auth(self, t):
        r = self.rng
        self.n += 1
        kind = r.choices(["login", "logout", "fail", "pw"], [4, 3, 6, 1])[0]
        user = "u%d" % min(int(r.expovariate(0.08)), 60)
        return {"timestamp": rfc3339(t), "type": kind, "user": user.upper() if r.random() < 0.02 else user,
                "host": "h%d" % r.randrange(10), "ip": "%d.0.0.%d" % (r.choice([10, 192]), r.randrange(4)),
                "country": r.choices(["DE", "FR", "US", "BR", ["NL", "BE"]], [50, 20, 10, 1, 1])[0],
                "session": r.randrange(3), "n": self.n}

    def net(self, t):
        r = self.rng
        kind = r.choices(["conn", "lease", "alarm", "beat"], [10, 2, 0.4, 3])[0]
        e = {"ts": rfc3339(t), "kind": kind, "src": "10.0.0.%d" % r.randrange(30), "host": "h%d" % r.randrange(12)}
        if kind == "conn":
            e.update(dst="d%d" % r.randrange(200), port=r.choice([22, 80, 443, 8080, r.randrange(2000)]),
                     bytes=int(r.paretovariate(1.2) * 100))
        elif kind == "beat":
            e["calm"] = r.random() < 0.3
        return e

    def shop(self, t):
        r = self.rng
        what = r.choices(["view", "order", "pay", "ship"], [8, 4, 3, 2])[0]
        e = {"time": int(round(t * 1000)), "what": what, "cust": "c%d" % r.randrange(40), "sku": "s%d" % r.randrange(25)}
        if what == "order" or not self.orders:
            e.update(what="order", order=r.getrandbits(40), amount=r.randrange(1, 500))
            self.orders.append((e["order"], e["amount"]))
            del self.orders[:-300]
        elif what in ("pay", "ship"):
            e["order"], amount = r.choice(self.orders[-60:] if what == "pay" else self.orders)
            e["amount"] = amount if r.random() < 0.9 else amount + 1
        else:
            e["n"] = r.randrange(100)
        return e


def moments(rng, n):
    """Times of a source: with quiet stretches and bursts, some of them equal."""
    end = START + HOURS * 3600
    times = []
    for _ in range(n):
        t = START + rng.random() * HOURS * 3600
        if rng.random() < 0.2:
            t = START + 3600 * rng.randrange(HOURS) + rng.random() * 120
        if 1.5 * 3600 < t - START < 1.8 * 3600:
            t += 1200
        times.append(round(min(t, end), 3 if rng.random() < 0.9 else 0))
    return sorted(times)


def disorder(rng, lines, lateness, late):
    """Lines (time, event) in an order of arrival; late: the share that comes too late."""
    keyed = []
    for t, e in lines:
        delay = rng.random() * lateness * 0.99 if rng.random() < 0.5 else 0
        if rng.random() < late:
            delay = lateness + rng.random() * 1200
        keyed.append((t + delay, t, e))
    return [(t, e) for _, t, e in sorted(keyed, key=lambda k: k[0])]


def count_late(lines, lateness):
    """What the definition says: below the highest time shown - lateness, when read."""
    most, late = 0, 0
    for t, _ in lines:
        ms = int(round(t * 1000))
        late += ms < most - lateness * 1000
        most = max(most, ms)
    return late


def pieces_of(lines, n):
    size = len(lines) // n + 1
    return [lines[i:i + size] for i in range(0, len(lines), size)]


def separated(pieces):
    """Pieces whose times do not overlap: equal times at a border are put apart."""
    for before, after in zip(pieces, pieces[1:]):
        while after and after[0][0] <= before[-1][0]:
            before.append(after.pop(0))
    return [p for p in pieces if p]


def write_file(path, texts):
    with open(path, "w", encoding="utf-8") as f:
        for text in texts:
            f.write(text + "\n")


def text_of(event):
    return json.dumps(event, separators=(",", ":"))


def generate(directory, seed, events, tidy):
    rng = random.Random(seed)
    maker = Maker(rng)
    counts = {"late": {}, "dead": {}}
    ends = {}
    for source, names in FILES.items():
        lateness = LATENESS[source]
        counts["late"][source] = counts["dead"][source] = 0
        made = {name: [] for name in names}
        for t in moments(rng, events // len(FILES)):
            made[rng.choice(names)].append((t, getattr(maker, source)(t)))
        for name in names:
            path = os.path.join(directory, name + ".ndjson")
            if tidy:
                texts, ends[name] = [], []
                for piece in separated(pieces_of(made[name], tidy)):
                    texts += [text_of(e) for _, e in disorder(rng, piece, lateness, 0)]
                    ends[name].append(len(texts))
                write_file(path, texts)
                continue
            lines = disorder(rng, made[name], lateness, 0.01)
            counts["late"][source] += count_late(lines, lateness)
            texts = []
            for _, e in lines:
                if rng.random() < 0.005:
                    texts.append(rng.choice(BROKEN))
                    counts["dead"][source] += 1
                texts.append(text_of(e))
            write_file(path, texts)
    with open(os.path.join(directory, "counts.json"), "w", encoding="utf-8") as f:
        json.dump(counts, f)
    if tidy:
        with open(os.path.join(directory, "pieces.json"), "w", encoding="utf-8") as f:
            json.dump(ends, f)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--events", type=int, default=30000)
    p.add_argument("--tidy", type=int, default=0, metavar="PIECES")
    a = p.parse_args()
    os.makedirs(a.dir, exist_ok=True)
    generate(a.dir, a.seed, a.events, a.tidy)


if __name__ == "__main__":
    main()
