#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tocsind among hostile events, receivers and operators: no alert is lost, what is written can be read.

    attacks.py --tocsind FILE --tocsin FILE [--work DIR] [PART...]
"""
import json
import os
import random
import signal
import sys
import time

from place import EACH, Failure, HUSH, LONGEST, Place, accepted, judge, numbers, places, run_parts, until

KEY = "?key=" + HUSH


def make_place(work, name, tools, rules=EACH):
    places.append(Place(os.path.join(work, name), tools, rules))
    return places[-1]


def arrived(hook, n, path=None):
    return lambda: len(set(numbers(accepted(hook.got(path))))) >= n


def begin(place, failpoints=""):
    """Starts it, and waits until it is there: a SIGTERM before that ends the process as ever."""
    before = place.logged('msg="ready"') if os.path.exists(place.at("daemon.log")) else 0
    place.start(failpoints)
    until("ready", LONGEST, lambda: place.logged('msg="ready"') > before)


def hup(place):
    place.daemon.send_signal(signal.SIGHUP)


def ends_in_reload(work, tools):
    """SIGTERM while a reload is made: the reload is made, then it stops as always, with 0."""
    place = make_place(work, "ends", tools)
    hook = place.hook()
    place.configure({"hook": place.sink(hook, "/old")})
    place.events(10)
    begin(place, "epoch_written=delay:700@4+")
    until("all", LONGEST, arrived(hook, 10))
    place.configure({"hook": place.sink(hook, "/new")})
    place.events(10)
    hup(place)
    until("it reloads", LONGEST, lambda: place.logged("the configuration has changed"))
    place.stop()
    if not place.logged('msg="stopped"'):
        raise Failure("it did not stop as it should")
    begin(place)
    until("all", LONGEST, arrived(hook, 20))
    place.stop()
    judge(hook.got(), 20, doubles=True)
    return place


def early(work, tools):
    """SIGHUP and SIGUSR1 while the configuration is read: they wait until it runs."""
    place = make_place(work, "early", tools)
    hook = place.hook()
    place.configure({"hook": place.sink(hook)})
    with open(place.at("tocsin.conf"), encoding="utf-8") as f:
        text = f.read()
    os.remove(place.at("tocsin.conf"))
    os.mkfifo(place.at("tocsin.conf"))
    place.events(1)
    place.start()
    fifo = []

    def reads():
        try:
            fifo.append(os.open(place.at("tocsin.conf"), os.O_WRONLY | os.O_NONBLOCK))
        except OSError: # nobody does yet
            return False
        return True
    until("it reads its configuration", LONGEST, reads)
    with os.fdopen(fifo[0], "w", encoding="utf-8") as f:
        place.write("tocsin.conf", text)
        hup(place)
        place.daemon.send_signal(signal.SIGUSR1)
        f.write(text)
    until("it reloads", LONGEST, lambda: place.logged("reload: nothing has changed") or place.daemon.poll() is not None)
    until("all", LONGEST, arrived(hook, 1))
    place.stop()
    return place


def all_or_nothing(work, tools):
    """A reload with a new secret and rules with a mistake: the old secret stays, too, until the rules are well."""
    place = make_place(work, "nothing", tools)
    hook = place.hook(secrets=[])
    place.write("token", "Bearer old-" + HUSH)
    place.configure({"hook": place.sink(hook).replace('env("HOOK_TOKEN")', 'file("token")')})
    place.events(1)
    begin(place)
    until("one", LONGEST, arrived(hook, 1))
    place.write("token", "Bearer new-" + HUSH)
    for broken in (True, False):
        place.write("rules/each.rule", EACH + ("rule broken {\n" if broken else "# well\n"))
        hup(place)
        until("it was read", LONGEST, lambda b=broken: place.logged("reload refused") > 0 if b else place.logged("no rule has changed"))
        place.events(1)
        until("one more", LONGEST, arrived(hook, place.sent))
    place.stop()
    said = [r["headers"]["authorization"].split("-")[0] for r in hook.got()]
    if said != ["Bearer old", "Bearer old", "Bearer new"]:
        raise Failure("the tokens were %s" % said)
    return place


def no_text(work, tools):
    """Lines and names of files that are no UTF-8: log, dead letters and the sink for them are UTF-8 nevertheless."""
    place = make_place(work, "no_text", tools)
    hook = place.hook()
    name = os.path.join(place.at("in").encode(), b"a\xffb\x1b[31m.ndjson")
    for sink in ("  dead_letter dead", ""):
        place.configure({"hook": place.sink(hook), "dead": 'file "dead.ndjson"'}, more="default_to [hook]")
        with open(place.at("tocsin.conf"), encoding="utf-8") as f:
            text = f.read()
        place.write("tocsin.conf", text.replace("idle 1h }", "idle 1h%s }" % sink))
        bad = len(accepted(hook.got())) * 3
        with open(name, "ab") as f:
            for line in (b"broken \xff\xfe line", b'{"ts":1,"n":1,"s":"\xc3("}', b'{"ts":1,"n":2,"s":"\\ud800"}'):
                f.write(line + b"\n")
            place.sent += 1
            f.write(b'{"ts":1,"n":%d}\n' % place.sent)
        begin(place)
        until("the good one", LONGEST, arrived(hook, place.sent))
        until("the bad ones", LONGEST, lambda n=bad: place.logged("a line is no event") == n + 3)
        place.stop()
    with open(place.at("dead.ndjson"), encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    if [line["event"] for line in lines] != ["broken \ufffd\ufffd line", '{"ts":1,"n":1,"s":"\ufffd("}', '{"ts":1,"n":2,"s":"\\ud800"}']:
        raise Failure("the sink for dead lines has %s" % lines)
    if lines[0]["partition"] != "a\ufffdb\x1b[31m.ndjson":
        raise Failure("the partition is %s" % lines[0]["partition"])
    if len(place.letters()) != 3:
        raise Failure("not three dead letters")
    with open(place.at("daemon.log"), encoding="utf-8") as f:
        if "\x1b" in f.read():
            raise Failure("the log has a control character")
    return place


GROUPS = "default_to [disk]\nroute { severity [info, low, medium, high, critical]  to [g]  group %s }"
THREE = "".join("rule r%d { match { a: e where n %% 3 == %d }  emit { n = a.n } }\n" % (i, i) for i in range(3))


def groups(work, tools):
    """Groups over reloads, kills and stops, to a receiver that misbehaves: each alert is in a message or a dead letter."""
    dice = random.Random(7)
    place = make_place(work, "groups", tools, THREE)
    hook = place.hook(script="/%s 500, 200, reset, 200 * 3, half, 400, 200" % KEY)

    def configure(i):
        place.configure({"g": place.sink(hook, "/", "in_flight %d" % (1 + i % 3)), "disk": 'file "disk.ndjson"'},
                        "stop_within 1s", GROUPS % ("300ms", "1s", "2s", "50ms")[i % 4])
    configure(0)
    begin(place)
    for i in range(24):
        place.events(dice.choice((1, 10, 200)))
        time.sleep(dice.choice((0, 0.05, 0.3)))
        what = dice.choice((hup, hup, Place.kill, Place.stop))
        configure(i)
        what(place)
        if what is not hup:
            begin(place)
        elif dice.random() < 0.3:
            place.stop()
            begin(place)
    hook.script("* 200")
    place.stop()
    place.tocsin("state", "dead-letters", "replay", "--sink", "g", "state", "all")
    begin(place)
    until("all", LONGEST, arrived(hook, place.sent))
    place.stop()
    if place.letters():
        raise Failure("there are dead letters")
    judge(hook.got(), place.sent, doubles=True)
    return place


PARTS = [early, ends_in_reload, all_or_nothing, no_text, groups]


if __name__ == "__main__":
    sys.exit(run_parts(PARTS, __doc__))
