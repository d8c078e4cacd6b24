#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tocsind and receivers that misbehave: each alert arrives once by id, in order where that is asked, signed; what
cannot be delivered is a dead letter, and comes back; no secret is in anything that the daemon writes.

    deliver.py --tocsind FILE --tocsin FILE [--work DIR] [PART...]
"""
import json
import os
import signal
import subprocess
import sys
import time

from place import (EACH, Failure, HERE, HUSH, LONGEST, Place, accepted, alerts_of, check_id, judge,
                   no_secret, numbers, places, run_parts, same_at_each_try, until)

KEY = "?key=" + HUSH


def arrived(hook, n, path=None):
    return lambda: len(set(numbers(accepted(hook.got(path))))) >= n


def make_place(work, name, tools):
    places.append(Place(os.path.join(work, name), tools))
    return places[-1]


def misbehaves(work, tools):
    """Each way to misbehave, at first tries and at second ones, a sink for each."""
    ways = ["200", "500", "hang", "reset", "half", "head", "close", "cut", "junk", "204 close", "200 drop", "301 location=/x",
            "302 location=/x", "408", "425", "429 retry-after=0", "503", "504", "200 close", "early"]
    place = make_place(work, "misbehaves", tools)
    hook = place.hook()
    hook.script("\n".join("/%d%s each: %s * %d, 200" % (i, KEY, way, 1 if way == "hang" else 2) for i, way in enumerate(ways)))
    place.configure({"s%d" % i: place.sink(hook, "/%d" % i, "timeout 300ms  connect_timeout 250ms" if way == "hang" else "")
                     for i, way in enumerate(ways)})
    place.events(5)
    place.start()
    for n in (5, 8):
        until("all got %d" % n, LONGEST, lambda: all(arrived(hook, n, "/%d%s" % (i, KEY))() or way == "early"
                                                     for i, way in enumerate(ways)))
        if n == 5:
            place.events(3)
    place.stop()
    for i, way in enumerate(ways):
        records = hook.got("/%d%s" % (i, KEY))
        # "early" answered 200 before it had the body: that is a success, and nothing is written about it
        if way != "early":
            judge(records, 8, doubles=way == "hang") # on a busy machine others are too late for it, too
        same_at_each_try(records)
    if place.letters():
        raise Failure("there are dead letters")
    no_secret(place)
    return place


def busy(work, tools):
    """Retry-After, in seconds and as dates: nothing comes before it is over, and then one request first."""
    forms = ["1", "date+2", "date850+2", "asctime+2"]
    place = make_place(work, "busy", tools)
    hook = place.hook()
    hook.script("\n".join("/%d%s 200, 200, %s retry-after=%s, 200" % (i, KEY, ("429", "503")[i % 2], form)
                          for i, form in enumerate(forms)))
    place.configure({"s%d" % i: place.sink(hook, "/%d" % i, "in_flight 1") for i in range(len(forms))})
    place.events(12)
    place.start()
    until("all", LONGEST, lambda: all(arrived(hook, 12, "/%d%s" % (i, KEY))() for i in range(len(forms))))
    place.stop()
    for i, form in enumerate(forms):
        records = hook.got("/%d%s" % (i, KEY))
        judge(records, 12, in_order=True)
        pause = records[3]["time"] - records[2]["time"]
        if pause < 0.95: # a date has whole seconds
            raise Failure("after retry-after=%s it waited %.3f s" % (form, pause))
    return place


def order(work, tools):
    """`order strict`: accepted in order whatever happens; else at least first tried in order."""
    place = make_place(work, "order", tools)
    hook = place.hook()
    steps = "500 * 2, 200 * 3, reset, 200 * 2, half, 200, 503, 200 * 5, close, 200 * 3, 429, 200 * 10, 500, reset, 200"
    hook.script("/strict%s %s\n/free%s %s" % (KEY, steps, KEY, steps))
    place.configure({"strict": place.sink(hook, "/strict", "order strict"), "free": place.sink(hook, "/free", "in_flight 4")})
    place.events(20)
    place.start()
    until("20", LONGEST, lambda: arrived(hook, 20, "/strict" + KEY)())
    place.events(30)
    until("50", LONGEST, lambda: arrived(hook, 50, "/strict" + KEY)() and arrived(hook, 50, "/free" + KEY)())
    place.stop()
    judge(hook.got("/strict" + KEY), 50, in_order=True)
    judge(hook.got("/free" + KEY), 50)
    connections = {r["connection"] for r in hook.got("/strict" + KEY)}
    if len(connections) > 20:
        raise Failure("connections are not kept: %d" % len(connections))
    return place


def refused(work, tools):
    """4xx: a dead letter at once, with the reason; put into the queue again it arrives."""
    place = make_place(work, "refused", tools)
    hook = place.hook(script="/%s 200 * 3, 400 * 2, 404, 401 body=who-are-you, 200" % KEY)
    place.configure({"hook": place.sink(hook, "/", "order strict")})
    place.events(10)
    place.start()
    until("six", LONGEST, arrived(hook, 6))
    place.stop()
    letters = place.letters("--sink", "hook")
    reasons = [letter["reason"] for letter in letters]
    if len(letters) != 4 or not all(r.startswith("refused: ") for r in reasons) or "who-are-you" not in reasons[3]:
        raise Failure("the dead letters are %s" % reasons)
    if len(place.letters("--reason", "404")) != 1 or place.letters("--sink", "hook", "--reason", "no such reason"):
        raise Failure("the choice of dead letters is wrong")
    if "1 removed" not in place.tocsin("state", "dead-letters", "drop", "--reason", "who-are-you", "state", "all"):
        raise Failure("not dropped")
    if "3 will be sent again" not in place.tocsin("state", "dead-letters", "replay", "--sink", "hook", "state", "all"):
        raise Failure("not put back")
    place.start()
    until("the others", LONGEST, arrived(hook, 9))
    place.stop()
    judge(hook.got(), [n for n in range(1, 11) if n != 7])
    no_secret(place)
    return place


def gone(work, tools):
    """410: all goes to the dead letters, over restarts, until it is enabled."""
    place = make_place(work, "gone", tools)
    hook = place.hook(script="/%s 200 * 5, 410" % KEY)
    other = place.hook("other")
    place.configure({"hook": place.sink(hook, "/", "order strict"), "other": place.sink(other)})
    place.events(1000)
    place.start()
    until("the other", LONGEST, arrived(other, 1000))
    until("disabled", LONGEST, lambda: place.logged("a webhook is gone"))
    place.events(10)
    until("the other", LONGEST, arrived(other, 1010))
    place.stop()
    letters = place.letters("--sink", "hook")
    if len(letters) != 1005 or len(hook.got()) != 6:
        raise Failure("%d dead letters after %d requests" % (len(letters), len(hook.got())))
    if "disabled since 20" not in place.tocsin("state", "inspect", "state"):
        raise Failure("`state inspect' does not say that it is disabled")
    hook.script("/%s 200" % KEY)
    place.start() # it is remembered
    place.events(1)
    until("the other", LONGEST, arrived(other, 1011))
    place.stop()
    if len(hook.got()) != 6 or len(place.letters("--sink", "hook")) != 1006:
        raise Failure("a disabled endpoint was asked")
    place.tocsin("state", "sink", "enable", "state", "hook")
    place.tocsin("state", "dead-letters", "replay", "--reason", "410", "state", "all")
    place.start()
    until("all", LONGEST, arrived(hook, 1011))
    place.stop()
    judge(hook.got(), 1011, in_order=False)

    hook.script("/%s 410" % KEY) # once more, and another URL
    place.start()
    place.events(1)
    until("disabled", LONGEST, lambda: place.logged("a webhook is gone") == 2)
    place.stop()
    place.configure({"hook": place.sink(hook, "/new", "order strict"), "other": place.sink(other)})
    place.tocsin("state", "dead-letters", "replay", "state", "all")
    place.start()
    until("the last one", LONGEST, arrived(hook, 1012))
    place.stop()
    judge(other.got(), 1012)
    no_secret(place)
    return place


def tls(work, tools):
    """A wrong certificate: nothing is said to it, and all waits; with the right one all arrives."""
    place = make_place(work, "tls", tools)
    os.makedirs(place.at("certificates"))
    subprocess.run(["sh", os.path.join(HERE, "certificates.sh"), place.at("certificates")], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    key = place.at("certificates/server.key")
    hook = place.hook(options=["--tls", place.at("certificates/wrong.pem"), key])
    place.configure({"hook": place.sink(hook, "/", 'tls { ca "certificates/ca.pem" }', "https")})
    place.events(20)
    place.start()
    until("it is told", LONGEST, lambda: place.logged('msg="a sink fails.*certificate'))
    if hook.got():
        raise Failure("a receiver with a wrong certificate got something")
    hook.kill()
    hook.options = ["--tls", place.at("certificates/server.pem"), key]
    hook.start()
    until("all", LONGEST, arrived(hook, 20))
    place.stop()
    judge(hook.got(), 20)
    if not place.logged("a sink works again"):
        raise Failure("its end is not told")
    no_secret(place)
    return place


def dies(work, tools):
    """The receiver is killed and returns, several times."""
    place = make_place(work, "dies", tools)
    hook = place.hook()
    place.configure({"hook": place.sink(hook), "strict": place.sink(hook, "/strict", "order strict")})
    place.start()
    for i in range(4):
        place.events(100)
        until("some", LONGEST, arrived(hook, i * 100 + 20, "/" + KEY))
        hook.kill()
        place.events(50)
        time.sleep(0.1)
        hook.start()
    until("all", LONGEST, lambda: arrived(hook, 600, "/" + KEY)() and arrived(hook, 600, "/strict" + KEY)())
    place.stop()
    # what it accepted as it died may have been answered to nobody: once more then, with the same id
    judge(hook.got("/" + KEY), 600, doubles=True)
    judge(hook.got("/strict" + KEY), 600, doubles=True, in_order=True)
    same_at_each_try(hook.got())
    return place


def many(work, tools):
    """A hundred endpoints, of which one is dead and one hangs: the others get all."""
    place = make_place(work, "many", tools)
    hook = place.hook()
    dead = place.hook("dead", "* hang")
    dead.kill()
    hang = place.hook("hang", "* hang")
    sinks = {"s%d" % i: place.sink(hook, "/%d" % i) for i in range(98)}
    sinks["dead"] = place.sink(dead, "/", "retry_least 20ms  retry_most 100ms")
    sinks["hangs"] = place.sink(hang, "/", "timeout 60s  connect_timeout 1s")
    place.configure(sinks, "stop_within 1s")
    place.start()
    place.events(20)
    until("all the others", LONGEST, lambda: len({(r["path"], r["id"]) for r in hook.got()}) == 98 * 20)
    dead.script("* 200")
    dead.start()
    until("the dead one that came back", LONGEST, arrived(dead, 20))
    place.stop() # with requests in flight that nobody answers
    for i in range(98):
        judge(hook.got("/%d%s" % (i, KEY)), 20)
    judge(dead.got(), 20)
    if accepted(hang.got()):
        raise Failure("it did not hang")
    return place


def bound(work, tools):
    """A queue at its bound: `dead_letter`, and `wait`."""
    place = make_place(work, "bound", tools)
    hook = place.hook(script="* 500")
    place.configure({"hook": place.sink(hook, "/", "queue_count 10  order strict")}, 'dead_letter_count 1000')
    place.events(40)
    place.start()
    until("it is told", LONGEST, lambda: place.logged("a queue is full"))
    place.stop()
    letters = place.letters("--reason", "queue of the sink is full")
    if len(letters) != 30:
        raise Failure("%d dead letters" % len(letters))
    hook.script("* 200")
    place.start()
    until("what fitted", LONGEST, arrived(hook, 10))
    place.stop()
    place.tocsin("state", "dead-letters", "replay", "state", "all")
    place.start()
    until("the rest", LONGEST, arrived(hook, 40))
    place.stop()
    judge(hook.got(), 40, in_order=True)

    place = make_place(work, "wait", tools)
    hook = place.hook(script="* 500")
    place.configure({"hook": place.sink(hook, "/", "queue_count 100  on_full wait  order strict")})
    place.write("in/big.ndjson", "".join('{"ts":%d,"n":%d}\n' % (1000 + i // 100, i) for i in range(1, 5001)))
    place.start()
    until("it fails", LONGEST, lambda: len(hook.got()) > 5)
    hook.script("* 200")
    until("all", LONGEST, arrived(hook, 5000))
    place.stop()
    judge(hook.got(), 5000, in_order=True)
    if place.letters():
        raise Failure("there are dead letters")
    return place


def ages(work, tools):
    """max_age: then a dead letter with the number of tries and the last error; put back it has a new age."""
    place = make_place(work, "ages", tools)
    hook = place.hook(script="* 500")
    place.configure({"hook": place.sink(hook, "/", "max_age 1s  in_flight 3")})
    place.events(50)
    place.start()
    until("a minute at most", 60, lambda: place.logged("a message goes to the dead letters"))
    place.stop()
    letters = place.letters()
    if len(letters) != 50 or any("not delivered within 1 s" not in a["reason"] or "500" not in a["reason"] for a in letters):
        raise Failure("%d dead letters: %s" % (len(letters), letters[:2]))
    hook.script("* 200")
    place.tocsin("state", "dead-letters", "replay", "state", "all")
    place.start()
    until("all", LONGEST, arrived(hook, 50))
    place.stop()
    judge(hook.got(), 50)
    return place


def stops(work, tools):
    """SIGTERM with requests in flight: those answered in time count, the others come again with the same id."""
    place = make_place(work, "stops", tools)
    hook = place.hook(script="/slow%s 200 delay=0.7\n/hang%s hang" % (KEY, KEY))
    place.configure({"slow": place.sink(hook, "/slow", "timeout 30s"), "hang": place.sink(hook, "/hang", "timeout 30s")},
                    "stop_within 3s")
    place.events(6)
    place.start()
    until("they are under way", LONGEST, lambda: len(hook.got()) == 12)
    place.stop()
    judge(hook.got("/slow" + KEY), 6)
    first = {r["id"]: r["body"] for r in hook.got("/hang" + KEY)}
    hook.script("* 200")
    place.start()
    until("the others", LONGEST, arrived(hook, 6, "/hang" + KEY))
    place.stop()
    judge(hook.got("/hang" + KEY), 6)
    if len(hook.got("/slow" + KEY)) != 6:
        raise Failure("what was answered before the end was sent again")
    if {r["id"]: r["body"] for r in accepted(hook.got("/hang" + KEY))} != first:
        raise Failure("after the restart the ids or bodies are others")
    return place


def batches(work, tools):
    """Several alerts in a message, each with its own id; one that is refused with others is refused alone."""
    place = make_place(work, "batches", tools)
    hook = place.hook(script="/%s each: 500, 200" % KEY)
    place.configure({"hook": place.sink(hook, "/", "batch_count 10  batch_wait 200ms  in_flight 3"),
                     "picky": place.sink(hook, "/picky", "batch_count 50  in_flight 1")})
    hook.script("/%s each: 500, 200\n/picky%s 413 * 9, 200" % (KEY, KEY))
    place.events(95)
    place.start()
    until("all", LONGEST, lambda: arrived(hook, 95, "/" + KEY)())
    until("the queue is empty", LONGEST, lambda: len(set(numbers(accepted(hook.got("/picky" + KEY))))) >= 90)
    place.stop()
    records = hook.got("/" + KEY)
    judge(records, 95)
    same_at_each_try(records)
    sizes = [len(alerts_of(r)) for r in accepted(records)]
    if max(sizes) != 10 or len(sizes) > 20:
        raise Failure("the batches have %s alerts" % sizes)
    records = hook.got("/picky" + KEY)
    dead = len(place.letters("--sink", "picky"))
    judge(records, sorted(set(numbers(accepted(records)))))
    if dead + len(set(numbers(accepted(records)))) != 95 or dead > 4 or dead == 0:
        raise Failure("%d of the refused batch are dead letters" % dead)
    return place


def reloads(work, tools):
    """SIGHUP with requests in flight and a long queue: another endpoint, another URL, a reload that changes
    nothing: all arrives."""
    place = make_place(work, "reloads", tools)
    hook = place.hook(script="/slow%s 200 delay=0.3\n/bad%s 500\n/good%s 200\n/new%s 200" % (KEY, KEY, KEY, KEY))
    sinks = {"slow": place.sink(hook, "/slow"), "bad": place.sink(hook, "/bad"), "good": place.sink(hook, "/good")}
    place.configure(sinks)
    place.events(30)
    place.start()
    until("requests are in flight", LONGEST, lambda: len(hook.got("/slow" + KEY)) > 0 and len(hook.got("/bad" + KEY)) > 3)
    for i in range(3):
        place.events(10)
        place.write("rules/each.rule", EACH + "# %d\n" % i)
        if i == 1:
            sinks["more"] = place.sink(hook, "/more")
        place.configure(sinks)
        place.daemon.send_signal(signal.SIGHUP)
        time.sleep(0.3)
    sinks["bad"] = place.sink(hook, "/new")
    place.configure(sinks)
    place.daemon.send_signal(signal.SIGHUP)
    until("all", LONGEST, lambda: arrived(hook, 60, "/new" + KEY)() and arrived(hook, 60, "/slow" + KEY)() and
          arrived(hook, 60, "/good" + KEY)())
    place.stop()
    judge(hook.got("/good" + KEY), 60)
    judge(hook.got("/new" + KEY), 60)
    judge(hook.got("/slow" + KEY), 60, doubles=True) # the end of the first courier may not wait for it
    if accepted(hook.got("/bad" + KEY)):
        raise Failure("it did not fail")
    return place


def lines(work, tools):
    """Late events and lines that are none: each arrives once under an id of its own, though texts are the same."""
    place = make_place(work, "lines", tools)
    hook = place.hook(script="* each: 500, reset, 200")
    place.configure({"hook": place.sink(hook, "/", "in_flight 3")})
    conf = place.at("tocsin.conf")
    with open(conf, encoding="utf-8") as f:
        text = f.read()
    place.write("tocsin.conf", text.replace("idle 1h }", "idle 1h  late hook  dead_letter hook }") + "default_to disk\n"
                "sink disk { file \"alerts.ndjson\" }\n")
    place.events(300)
    with open(place.at("in/e.ndjson"), "a", encoding="utf-8") as f:
        f.write('{"ts":1,"n":7}\n' * 5 + "no JSON\n" * 5 + '{"ts":2,"n":8}\n')
    place.start()
    until("all", LONGEST, lambda: len(accepted(hook.got())) >= 11)
    place.stop()
    good = accepted(hook.got())
    if len(good) != 11 or len({r["id"] for r in good}) != 11 or any(r["signature"] != "good" for r in hook.got()):
        raise Failure("%d lines arrived under %d ids" % (len(good), len({r["id"] for r in good})))
    if {json.loads(r["body"])["type"] for r in good} != {"event"}:
        raise Failure("they are not told as events")
    same_at_each_try(hook.got())
    return place


def routed(work, tools):
    """A route that is silent, one that groups, both beside what comes directly."""
    place = make_place(work, "routed", tools)
    hook = place.hook()
    place.write("rules/more.rule", "rule fifth { match { a: e where n % 5 == 0 }  emit { n = a.n } }\n")
    place.configure({"both": place.sink(hook, "/both"), "silent": place.sink(hook, "/silent"),
                     "groups": place.sink(hook, "/groups", "in_flight 2")},
                    more="default_to both\n"
                         "route { rules \"*\"  to [silent, both]  mute \"00:00-24:00\" }\n"
                         "route { rules \"*\"  to [groups, both]  group 1s }\n")
    place.events(100)
    place.start()
    until("groups", LONGEST, lambda: len(accepted(hook.got("/groups" + KEY))) >= 2)
    place.events(100)
    until("all", LONGEST, lambda: len(numbers(accepted(hook.got("/groups" + KEY)))) == 240)
    until("the direct ones", LONGEST, lambda: len(numbers(accepted(hook.got("/both" + KEY)))) == 240)
    place.stop()
    records = hook.got("/groups" + KEY)
    for record in records:
        check_id(record)
        said = json.loads(record["body"])
        if said["type"] == "alert.group" and said["data"]["count"] != len(said["data"]["alerts"]):
            raise Failure("a group says %d of %d alerts" % (said["data"]["count"], len(said["data"]["alerts"])))
        if len({alert["rule"] for alert in alerts_of(record)}) != 1:
            raise Failure("a group has alerts of two rules")
    if len(records) > 8:
        raise Failure("%d messages are no groups" % len(records))
    if any(json.loads(r["body"])["type"] != "alert.created" for r in hook.got("/both" + KEY)):
        raise Failure("what came directly was grouped")
    if hook.got("/silent" + KEY) or not place.logged('sink="silent" waiting=0 .*delivered=0 .*muted=240'):
        raise Failure("what is muted was sent, or not counted")
    return place


PARTS = [reloads, lines, routed, misbehaves, busy, order, refused, gone, tls, dies, many, bound, ages, stops, batches]


if __name__ == "__main__":
    sys.exit(run_parts(PARTS, __doc__))
