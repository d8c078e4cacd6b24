# SPDX-License-Identifier: Apache-2.0
"""How many alerts rules of windows, joins and first sightings give on the real logs.

    python3 window_numbers.py compute       finds the numbers, with nothing of the engine or the oracle
    python3 window_numbers.py TOCSIN        runs `TOCSIN replay` and compares

The logs are found, or are missed, as real_numbers.py says.
"""
import collections
import datetime
import gzip
import json
import os
import sys
from fractions import Fraction

from real_numbers import HERE, TOP, count_by_replay, skip

# log, its time field, the rules' file, rule -> alerts (as `compute` found them)
NUMBERS = [
    ("linux_auth", "timestamp", "ssh_failures",
     {"ssh_failures_every": 361, "ssh_failures_reset": 98, "ssh_failures_match": 49}),
    ("retail", "InvoiceDate", "retail_windows", {"busy_hours": 76, "cancels_much": 56, "bought_and_cancelled": 888}),
    ("trades", "timestamp", "trades_windows", {"big_seconds": 139, "large_trades": 33, "burst": 639}),
    ("card_payments", "EVENT_TIMESTAMP", "card_windows",
     {"card_busy": 20, "card_new_category": 928, "card_above_own": 70}),
]
SECOND = 10**9


def read(path, time_field):
    """(time in ns, event), in the order of time and, at one time, of the file."""
    events, known = [], {}
    with gzip.open(path, "rt", encoding="utf-8") as log:
        for line in log:
            event = json.loads(line)
            text = event[time_field]
            second, rest = text[:19], text[19:]
            if (second, rest) not in known:
                at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
                known[second, rest] = round(at.timestamp() * 1000) * 10**6
            events.append((known[second, rest], event))
    events.sort(key=lambda e: e[0])
    return events


def groups(events, key):
    """key -> [(time, event)], without those that lack it."""
    found = collections.defaultdict(list)
    for time, event in events:
        value = key(event)
        if value is not None:
            found[value].append((time, event))
    return found


def moving(events, reach):
    """For each event those of [time - reach, time] that came before it or are it."""
    inside = collections.deque()
    for time, event in events:
        inside.append((time, event))
        while inside[0][0] < time - reach:
            inside.popleft()
        yield time, inside


# ---- linux_auth: five failed logins of one address within a minute ------------------------------

def ssh_failures(events):
    failed = groups(((t, e) for t, e in events if e.get("sshd", {}).get("event") == "failed"),
                    lambda e: e["sshd"].get("src_ip"))
    every = reset = match = 0
    for own in failed.values():
        times = [t for t, _ in own]
        since = 0                       # of `reset`: the first that still counts
        told = None                     # of `match`: number of the last event at which it was told
        for n, time in enumerate(times):
            if n >= 4 and time - times[n - 4] <= 60 * SECOND:
                every += 1
                # It was false if, just before this event, there were fewer than five: the five
                # before it are not all within a minute of it.
                if told is None or n < 5 or time - times[n - 5] > 60 * SECOND:
                    match += 1
                    told = n
            if n - since >= 4 and time - times[n - 4] <= 60 * SECOND:
                reset += 1
                since = n + 1
    return {"ssh_failures_every": every, "ssh_failures_reset": reset, "ssh_failures_match": match}


# ---- retail -------------------------------------------------------------------------------------

def retail(events):
    hours = collections.defaultdict(set)
    sold = collections.Counter()
    for time, event in events:
        if event["Quantity"] > 0:
            hour = time // (3600 * SECOND)
            sold[hour] += event["Quantity"]
            if event.get("CustomerID") is not None:
                hours[hour].add(event["CustomerID"])
    busy = sum(sold[h] >= 3000 and len(hours[h]) >= 15 for h in sold)

    # Three cancelled invoices of a customer within a week; told when it becomes so.
    cancelled = groups(((t, e) for t, e in events if e["InvoiceNo"].startswith("C")),
                       lambda e: e.get("CustomerID"))
    often = 0
    for own in cancelled.values():
        held_until = None               # the time at which the condition ends if nothing comes
        for time, inside in moving(own, 7 * 86400 * SECOND):
            latest = {}
            for at, event in inside:
                latest[event["InvoiceNo"]] = at
            held = held_until is not None and time <= held_until
            if len(latest) >= 3:
                often += not held
                held_until = sorted(latest.values())[-3] + 7 * 86400 * SECOND
            else:
                held_until = None

    # An order line and its cancellation, of the same amount, within two days.
    bought, pairs = collections.defaultdict(list), 0
    for time, event in events:
        customer = event.get("CustomerID")
        if customer is not None and event["Quantity"] > 0:
            bought[customer, event["StockCode"], event["Quantity"]].append(time)
    for time, event in events:
        if event.get("CustomerID") is not None and event["InvoiceNo"].startswith("C"):
            own = bought[event["CustomerID"], event["StockCode"], -event["Quantity"]]
            pairs += sum(SECOND <= time - at <= 2 * 86400 * SECOND for at in own)
    return {"busy_hours": busy, "cancels_much": often, "bought_and_cancelled": pairs}


# ---- trades -------------------------------------------------------------------------------------

def trades(events):
    seconds = collections.Counter()
    for time, event in events:
        seconds[event["symbol"], time // SECOND] += event["size"]
    large, burst = 0, 0
    for own in groups(events, lambda e: e["symbol"]).values():
        # Five of 10,000 and more within ten seconds, and then from the beginning.
        times = []
        for time, event in own:
            if event["size"] >= 10000:
                times = [t for t in times if time - t <= 10 * SECOND] + [time]
                if len(times) == 5:
                    large += 1
                    times = []
        # What was traded in a second is over a hundred times the mean trade of the minute; told when
        # it becomes so. Once true it can become false as values leave: then this minute's others do.
        one, minute = collections.deque(), collections.deque()
        one_sum = minute_sum = 0
        held = False
        for time, event in own:
            while True:
                # What leaves next, and when: the earlier of the two.
                leaves = [(q[0][0] + reach + 1, n) for n, (q, reach) in
                          enumerate(((one, SECOND), (minute, 60 * SECOND))) if q]
                if not leaves or min(leaves)[0] > time:
                    break
                at = min(leaves)[0]
                while one and one[0][0] + SECOND + 1 <= at:
                    one_sum -= one.popleft()[1]
                while minute and minute[0][0] + 60 * SECOND + 1 <= at:
                    minute_sum -= minute.popleft()[1]
                # Nothing fires here; it may only become false.
                held = held and bool(minute) and one_sum * len(minute) > 100 * minute_sum
            one.append((time, event["size"]))
            minute.append((time, event["size"]))
            one_sum += event["size"]
            minute_sum += event["size"]
            holds = one_sum * len(minute) > 100 * minute_sum
            burst += holds and not held
            held = holds
    return {"big_seconds": sum(n >= 100000 for n in seconds.values()), "large_trades": large, "burst": burst}


# ---- card_payments ------------------------------------------------------------------------------

def card_payments(events):
    busy = category = above = 0
    for own in groups(events, lambda e: e["ENTITY_ID"]).values():
        # Sessions: payments at most two days apart, at least three of them, over 500 in all.
        session = []
        for time, event in own + [(float("inf"), None)]:
            if session and time - session[-1][0] > 2 * 86400 * SECOND:
                busy += len(session) >= 3 and sum(Fraction(e["order_price"]) for _, e in session) > 500
                session = []
            session.append((time, event))
        # A product category not seen of the customer for 60 days, once it is known for 10.
        seen, first, last = {}, None, None
        for time, event in own:
            if last is not None and time - last > 60 * 86400 * SECOND:
                first = None
            first = time if first is None else first
            value = event.get("product_category")
            if value is not None:
                new = value not in seen or time - seen[value] > 60 * 86400 * SECOND
                category += new and time - first >= 10 * 86400 * SECOND
                seen[value] = time
            last = time
        # At least four payments, and this one over three times the mean of all.
        prices = []
        for time, event in own:
            prices.append(Fraction(event["order_price"]))
            above += len(prices) >= 4 and prices[-1] > 3 * sum(prices) / len(prices)
    return {"card_busy": busy, "card_new_category": category, "card_above_own": above}


COMPUTE = {"linux_auth": ssh_failures, "retail": retail, "trades": trades, "card_payments": card_payments}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TOCSIN", "./tocsin")
    data = os.environ.get("TOCSIN_DATA") or os.path.join(TOP, "..", "shared", "data")
    passed = failed = 0
    for log, time_field, rules, wanted in NUMBERS:
        path = os.path.join(data, log + ".ndjson.gz")
        if not os.path.exists(path):
            skip.skip(f"the real logs: there is no {path} (set TOCSIN_DATA)")
        if program == "compute":
            found = COMPUTE[log](read(path, time_field))
        else:
            found = count_by_replay(program, path, log, time_field, os.path.join(HERE, rules + ".rule"))
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
