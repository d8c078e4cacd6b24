#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The webhook client (src/io/web.h), driven by tests/webhook/post, against receivers that misbehave.

    web.py POST-PROGRAM [PART...]
"""
import base64
import hashlib
import hmac
import os
import shutil
import signal
import socket
import subprocess
import sys

import client
from between import Proxy, Relay
from client import HERE, HUSH, SECRETS, HEADERS, Place, check, same
from receiver import read_log, wait_port

# ---- answers -----------------------------------------------------------------------------------------

OUTCOMES = {"done": (200, 201, 202, 204, 299), "again": (301, 302, 303, 307, 308, 408, 425, 429, 500, 502, 503, 504, 599),
            "refused": (400, 401, 403, 404, 405, 413, 422, 451, 499), "gone": (410,)}


def part_outcomes(place):
    receiver = place.receiver()
    place.set(*("/%d %d" % (s, s) for group in OUTCOMES.values() for s in group))
    for outcome, group in OUTCOMES.items():
        for status in group:
            place.post.endpoint("s%d" % status, place.url(receiver, "/%d" % status))
            answer = place.post.one("s%d" % status)
            same((answer["outcome"], answer["status"]), (outcome, status), "HTTP %d:" % status)
            check((answer["why"] == "") == (outcome == "done"), "HTTP %d: %s" % (status, answer["why"]))
    place.post.endpoint("plain", place.url(receiver, "/204"), headers={})
    place.post.one("plain")
    check("authorization" not in read_log(receiver.path)[-1]["headers"], "a password of .netrc is sent")
    for record in read_log(receiver.path)[:-1]:
        headers = record["headers"]
        same(record["signature"], "good", "signature:")
        same(headers["authorization"], HEADERS["Authorization"], "authorization:")
        same((headers["x-empty"], headers["content-type"]), ("", "application/json"), "headers:")
        check(headers["user-agent"].startswith("tocsin/"), "user-agent:", headers["user-agent"])
        check("expect" not in headers and "cookie" not in headers, "headers:", headers)


def part_retry_after(place):
    receiver = place.receiver()
    place.post.endpoint("r", place.url(receiver))
    for said, least, most in (("7", 7, 7), ("0", 0, 0), ("100000", 86400, 86400), ("soon", None, None), ("date+9", 4, 9),
                              ("date850+9", 4, 9), ("asctime+9", 4, 9), ("date+-50", 0, 0), ("date+999999", 86400, 86400)):
        place.set("* 503 retry-after=" + said)
        answer = place.post.one("r")
        got = answer["retry_after"]
        same(answer["outcome"], "again", "503:")
        if least is None:
            same(got, -1, "retry-after %s:" % said)
        else:
            check(least * 10**9 <= got <= most * 10**9, "retry-after %s: %d" % (said, got))


def part_text(place):
    """What an answer says is told, but for our own secrets; where a redirect leads, without its path."""
    receiver, other = place.receiver(), place.receiver()
    place.post.endpoint("t", place.url(receiver, "/the/secret/path?key=hush-hush-key"))
    place.set("* 400 body=no-%s-token/the/secret/path?key=hush-hush-key" % HUSH)
    answer = place.post.one("t")
    check("/secret/" not in answer["why"] and "HTTP 400: no-" in answer["why"], answer["why"])
    place.set("* 307 location=http://user:%s@127.0.0.1:%d/there?%s" % (HUSH, other.port, HUSH))
    answer = place.post.one("t")
    check(answer["why"].endswith("it leads to http://127.0.0.1:%d" % other.port), answer["why"])
    same(read_log(other.path), [], "a redirect was followed:")


def part_faults(place):
    receiver = place.receiver()
    for do, outcome, why in (("half", "again", "the answer is not whole"), ("reset", "again", "reset"),
                             ("close", "again", "Empty reply"), ("cut", "again", ""), ("head", "again", ""),
                             ("junk", "again", ""), ("headers", "again", "headers are longer"), ("huge", "done", ""),
                             ("early", "done", ""), ("hang", "again", "timed out"), ("drip", "again", "not whole")):
        place.set("* " + do)
        # a certain time-out only for what never ends by itself
        place.post.endpoint(do, place.url(receiver), timeout=1500 if do in ("hang", "drip") else 0)
        answer = place.post.one(do, text="x" * 100000 if do == "early" else "{}")
        if do != "early":  # the RST may be faster than the answer
            same(answer["outcome"], outcome, do + ":")
            same(answer["status"], 200 if outcome == "done" else 0, do + ":")
        check(why in answer["why"], do, "is told as", answer["why"])
        place.set("* 200")  # and what comes next is not disturbed
        same(place.post.one(do)["outcome"], "done", "after " + do)
    dead = socket.create_server(("127.0.0.1", 0))
    port = dead.getsockname()[1]
    dead.close()
    place.post.endpoint("dead", "http://127.0.0.1:%d/" % port)
    same(place.post.one("dead")["outcome"], "again", "nobody listens:")
    place.post.endpoint("name", "http://no-such-name.invalid/")
    same(place.post.one("name")["outcome"], "again", "no such name:")
    place.post.endpoint("slow", "http://slow.test/", connect_timeout=300)
    answer = place.post.one("slow")
    check(answer["outcome"] == "again" and "timed out" in answer["why"], "slow name:", answer["why"])


def part_bodies(place):
    """Bodies arrive as they are, whatever their length; long answers are read up to a limit."""
    receiver = place.receiver()
    place.post.endpoint("b", place.url(receiver))
    for n in (0, 1, 1000, 65536, 1100000, 6000000):  # beyond 1 MB libcurl would ask with Expect
        place.post.posts("b", 1, n)
        same([a["outcome"] for a in place.post.wait()], ["done"], "body of %d bytes:" % n)
        same(read_log(receiver.path)[-1]["body"], "b" * n, "body of %d bytes" % n)
    same(place.post.stats("b")["connections"], 1, "connections:")
    place.set("* 200 body=" + "x" * 1000)
    place.post.endpoint("b2", place.url(receiver), max_response=100)
    same([place.post.one("b2")["outcome"] for _ in range(3)], ["done"] * 3, "longer than max_response:")
    same(place.post.stats("b2")["connections"], 3, "such connections are closed:")


# ---- connections -------------------------------------------------------------------------------------

def ids_of(receiver, ok=True):
    return [r["id"] for r in read_log(receiver.path) if r["ok"] or not ok]


def part_reuse(place):
    receiver = place.receiver()
    place.post.endpoint("k", place.url(receiver))
    place.post.posts("k", 1000)
    answers = place.post.wait(1000)
    same(sorted(a["id"] for a in answers if a["outcome"] == "done"), sorted("k-%d" % i for i in range(1, 1001)), "ids:")
    records = read_log(receiver.path)
    same(len({r["connection"] for r in records}), 8, "connections:")
    same(place.post.stats("k")["connections"], 8, "connections:")
    same(sorted(ids_of(receiver)), sorted(a["id"] for a in answers), "received:")
    place.post.endpoint("one", place.url(receiver), max_connections=1)
    place.post.posts("one", 200)
    same([a["id"] for a in place.post.wait(200)], ["one-%d" % i for i in range(1, 201)], "order of one connection:")
    same([r["id"] for r in read_log(receiver.path)[1000:]], ["one-%d" % i for i in range(1, 201)], "order received:")
    same(place.post.stats("one")["connections"], 1, "connections:")


def part_closing(place):
    """Servers that close connections after answers, said or not, or in the middle: each id arrives in the end."""
    receiver = place.receiver()
    for name, steps in (("said", "200 close"), ("unsaid", "200 drop"), ("mixed", "200 drop, 200, 200 close * 2, 200")):
        place.set("* " + steps)
        place.post.endpoint(name, place.url(receiver))
        place.post.posts(name, 200)
        todo, done = 200, set()
        while todo:
            answers = place.post.wait(todo)
            todo -= len(answers)
            for a in answers:
                if a["outcome"] == "done":
                    done.add(a["id"])
                else:  # a race of the closing with the next request: the courier would send it again
                    place.post.post(name, a["id"])
                    todo += 1
            if not answers:
                break
        same(len(done), 200, name + ": done:")
        same(len({i for i in ids_of(receiver) if i.startswith(name)}), 200, name + ": received:")


def part_returns(place):
    """A receiver that is killed and comes back at its port."""
    log, port_file = place.path("killed.log"), place.path("port")
    command = [sys.executable, "-B", os.path.join(HERE, "receiver.py"), "--log", log, "--port-file", port_file]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    port = wait_port(port_file)
    place.post.endpoint("p", "http://127.0.0.1:%d/" % port)
    same(place.post.one("p", "before")["outcome"], "done", "before:")
    process.send_signal(signal.SIGKILL)
    process.wait()
    same(place.post.one("p", "while")["outcome"], "again", "while it is dead:")
    os.remove(port_file)
    process = subprocess.Popen(command + ["--port", str(port)], stdout=subprocess.DEVNULL)
    wait_port(port_file)
    same(place.post.one("p", "after")["outcome"], "done", "after:")
    process.terminate()
    process.wait()
    same([r["id"] for r in read_log(log)], ["before", "after"], "received:")


def part_forgotten(place):
    """A network that has forgotten the kept connections: one time-out, not one for each of them."""
    from receiver_h2 import ReceiverH2
    pem = place.certificates()
    plain, secure = place.receiver(), ReceiverH2(pem("server.pem"), pem("server.key"))
    for name, scheme, port in (("old", "http", plain.port), ("h2", "https", secure.port)):
        relay = Relay(port)
        place.post.endpoint(name, "%s://localhost:%d/" % (scheme, relay.port), ca=pem("ca.pem"), timeout=2500)
        for _ in range(2):
            place.post.posts(name, 8)
            same([a["outcome"] for a in place.post.wait(8)], ["done"] * 8, name + ": before:")
            relay.forget()
            same(place.post.one(name)["outcome"], "again", name + ": over what is forgotten:")
            same(place.post.one(name)["outcome"], "done", name + ": the next:")


def part_many(place):
    """100 endpoints: one hangs, one is not to be resolved, one takes no connections. None is late for it."""
    receiver = place.receiver()
    place.set("/hang hang", "* 200")
    full = socket.create_server(("127.0.0.1", 0), backlog=0)  # its queue is full soon: SYNs are not answered
    held = []
    for _ in range(3):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(full.getsockname())
        held.append(s)
    place.post.endpoint("hang", place.url(receiver, "/hang"), timeout=60000)
    place.post.endpoint("name", "http://slow.test/", connect_timeout=60000)
    place.post.endpoint("full", "http://127.0.0.1:%d/" % full.getsockname()[1], connect_timeout=60000)
    for name in ("hang", "name", "full"):
        place.post.posts(name, 20)
    for i in range(97):
        place.post.endpoint("e%d" % i, place.url(receiver, "/%d" % i))
    for i in range(97):
        place.post.posts("e%d" % i, 10)
    answers = place.post.wait(970)
    same(len(answers), 970, "answers:")
    same({a["outcome"] for a in answers}, {"done"}, "outcomes:")
    check(all(a["id"].startswith("e") for a in answers), "one of the dead has answered")
    stats = place.post.stats("hang")
    same((stats["under_way"], stats["waiting"]), (8, 12), "of the one that hangs:")
    for s in held:
        s.close()
    full.close()


# ---- signatures --------------------------------------------------------------------------------------

def signed_by_openssl(record, key):
    text = "%s.%s.%s" % (record["id"], record["headers"]["webhook-timestamp"], record["body"])
    out = subprocess.run(["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:" + key.hex(), "-binary"],
                         input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    return "v1," + base64.b64encode(out).decode()


def part_sign(place):
    receiver = place.receiver()
    keys = [base64.b64decode(SECRETS[0][6:]), SECRETS[1].encode()]
    for name, secrets, used in (("both", SECRETS, keys), ("first", SECRETS[:1], keys[:1]), ("none", [], [])):
        place.post.endpoint(name, place.url(receiver), secret=secrets)
        same(place.post.one(name, name + ".1", '{"text":"\u00e4 \u2603"}')["outcome"], "done", name)
        record = read_log(receiver.path)[-1]
        if not used:
            check("webhook-signature" not in record["headers"], "signed without a secret")
            check("webhook-timestamp" in record["headers"] and record["id"] == "none.1", "id and time are always there")
            continue
        want = [signed_by_openssl(record, key) for key in used]
        same(record["headers"]["webhook-signature"].split(" "), want, "by openssl:")
        text = ("%s.%s.%s" % (record["id"], record["headers"]["webhook-timestamp"], record["body"])).encode()
        by_python = ["v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode() for key in used]
        same(want, by_python, "by Python:")
    # rotation
    place.post.endpoint("turn", place.url(receiver), secret=["old " + HUSH])
    place.post.one("turn")
    place.post.endpoint("turn", place.url(receiver), "renew", secret=["new " + HUSH, "old " + HUSH])
    place.post.one("turn")
    place.post.endpoint("turn", place.url(receiver), "renew", secret=["new " + HUSH])
    place.post.one("turn")
    got = [r["headers"]["webhook-signature"].split(" ") for r in read_log(receiver.path)[-3:]]
    same([len(g) for g in got], [1, 2, 1], "signatures while a secret is changed:")
    bad = place.post.endpoint("turn", place.url(receiver), "renew", secret=["whsec_" + HUSH + "!"])
    check("base64" in bad.get("error", ""), "a broken secret:", bad)
    same(place.post.one("turn")["outcome"], "done", "the old secret goes on:")
    bad = place.post.endpoint("turn2", place.url(receiver), headers={"X": HUSH + "\r\nY: z"})
    check("`X`" in bad.get("error", ""), "a broken header:", bad)


def part_reference(place):
    """What the reference tells receivers to do."""
    with open(os.path.join(HERE, "..", "..", "grammar", "webhooks.md"), encoding="utf-8") as f:
        code = f.read().split("```python\n")[1].split("```")[0]
    names = {}
    exec(code, names)  # pylint: disable=exec-used
    verify, receiver = names["verify"], place.receiver()
    place.post.endpoint("v", place.url(receiver))
    place.post.one("v", "id.1", '{"a":"\u00e4"}')
    record = read_log(receiver.path)[0]
    body = record["body"].encode()
    for secret in SECRETS:
        check(verify(secret, record["headers"], body), "the reference's code does not verify")
        check(not verify(secret + "x" * 4, record["headers"], body), "it verifies a wrong secret")
        check(not verify(secret, record["headers"], body + b" "), "it verifies a wrong body")
        check(not verify(secret, dict(record["headers"], **{"webhook-id": "id.2"}), body), "it verifies a wrong id")


# ---- addresses ---------------------------------------------------------------------------------------

def part_addresses(place):
    receiver = place.receiver()
    port = receiver.port
    for host in ("127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "[::1]", "inside.test", "0.0.0.0",
                 "169.254.169.254", "10.0.0.1", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "100.64.0.1"):
        place.post.endpoint("x", "http://%s:%d/" % (host, port), allow=[])
        answer = place.post.one("x")
        check(answer["outcome"] == "again" and "`allow`" in answer["why"], host, "is not refused:", answer["why"])
        place.post.send("free x")
    same(read_log(receiver.path), [], "something came to a refused address:")
    place.post.endpoint("ok", "http://inside.test:%d/" % port, allow=["127.0.0.1/32"])
    same(place.post.one("ok")["outcome"], "done", "an allowed one:")
    try:
        six = place.receiver(host="::1")
    except OSError as error:
        print("NOT TESTED: IPv6 on this machine:", error)
    else:
        place.post.endpoint("six", "http://[::1]:%d/" % six.port, allow=["::1"])
        same(place.post.one("six")["outcome"], "done", "IPv6:")
        place.post.endpoint("no-six", "http://[::1]:%d/" % six.port, allow=["127.0.0.0/8"])
        check("is loopback" in place.post.one("no-six")["why"], "IPv6 is not refused")
    # another endpoint of the same place must not go over the connection of the first
    place.post.endpoint("not", "http://inside.test:%d/" % port, allow=[])
    check("`allow`" in place.post.one("not")["why"], "a kept connection was taken by who may not have it")
    # the name leads elsewhere at the next look: judged anew
    place.set("* 200 close")
    place.post.endpoint("rebind", "http://rebind.test:%d/" % port, allow=["198.51.100.0/24"], connect_timeout=300)
    place.post.one("rebind")  # there is nobody
    answer = {"why": ""}
    for _ in range(5):  # libcurl may remember the name for a minute: renew gives new eyes
        place.post.endpoint("rebind", "http://rebind.test:%d/" % port, "renew", allow=["198.51.100.0/24"],
                            connect_timeout=300)
        answer = place.post.one("rebind")
        if "127.0.0.1" in answer["why"]:
            break
    check("its address 127.0.0.1 is loopback" in answer["why"], "rebinding:", answer["why"])
    # what is no longer allowed is not reached over what is kept
    place.set("* 200")
    place.post.endpoint("ok", "http://inside.test:%d/" % port, "renew", allow=[])
    check("`allow`" in place.post.one("ok")["why"], "a kept connection outlives its leave")
    for url, word in (("ftp://x/", "ftp:"), ("http://u:%s@x/" % HUSH, "headers"), ("http:///x", "URL"), ("x", "URL")):
        check(word in place.post.endpoint("bad", url).get("error", ""), url, "is not refused")


def part_proxy(place):
    pem = place.certificates()
    proxy, plain = Proxy(), place.receiver()
    secure = place.receiver(tls=(pem("server.pem"), pem("server.key")))
    url = "http://user:%s@127.0.0.1:%d" % (HUSH, proxy.port)
    place.post.endpoint("p", place.url(plain, host="inside.test"), proxy=url, allow=[])
    same(place.post.one("p")["outcome"], "done", "over a proxy:")
    place.post.endpoint("s", place.url(secure, "/", "https", "localhost"), proxy=url, allow=[], ca=pem("ca.pem"))
    same(place.post.one("s")["outcome"], "done", "TLS over a proxy:")
    check(proxy.asked[0].startswith("POST http://inside.test:"), proxy.asked[0])
    check(proxy.asked[1].startswith("CONNECT localhost:"), proxy.asked[1])
    check("hush-hush-token" not in proxy.asked[1] and "webhook-id" not in proxy.asked[1], "CONNECT shows headers")
    place.post.endpoint("none", place.url(plain))
    same(place.post.one("none")["outcome"], "done", "without a proxy:")
    same(len(proxy.asked), 2, "asked of the proxy:")
    place.post.endpoint("dead", place.url(plain), proxy="http://127.0.0.1:1")
    same(place.post.one("dead")["outcome"], "again", "a dead proxy:")


# ---- TLS ---------------------------------------------------------------------------------------------

def part_tls(place):
    pem = place.certificates()
    key = pem("server.key")
    good, ca = place.receiver(tls=(pem("server.pem"), key)), pem("ca.pem")
    n = 0

    def answer(receiver, host="localhost", **options):
        nonlocal n
        n += 1
        said = place.post.endpoint("t%d" % n, place.url(receiver, "/", "https", host), **options)
        if "error" in said:
            return said["error"]
        got = place.post.one("t%d" % n)
        return got["outcome"] if got["outcome"] == "done" else got["outcome"] + ": " + got["why"]

    def fails(said, *words):
        check(said.startswith("again: ") and any(w in said for w in words), "TLS:", said, "and not", words)

    same(answer(good, ca=ca), "done", "TLS:")
    same(answer(good, "127.0.0.1", ca=ca), "done", "TLS to an address:")
    fails(answer(good), "certificate is not accepted")                      # the system's authorities
    fails(answer(good, ca=pem("other-ca.pem")), "certificate is not accepted")
    fails(answer(place.receiver(tls=(pem("wrong.pem"), key)), ca=ca), "certificate is not accepted")
    fails(answer(place.receiver(tls=(pem("expired.pem"), key)), ca=ca), "expired")
    fails(answer(place.receiver(tls=(pem("self.pem"), key)), ca=ca), "certificate is not accepted")
    fails(answer(place.receiver(), ca=ca), "TLS", "SSL")                    # speaks no TLS
    old = place.receiver(tls=(pem("server.pem"), key), tls_most="1.2")
    same(answer(old, ca=ca), "done", "TLS 1.2:")
    fails(answer(old, ca=ca, tls="1.3"), "TLS", "SSL")
    same(answer(good, ca=ca, tls="1.3"), "done", "TLS 1.3:")
    # client certificates
    asks = place.receiver(tls=(pem("server.pem"), key), client_ca=ca)
    same(answer(asks, ca=ca, certificate=pem("client.pem"), key=pem("client.key")), "done", "client certificate:")
    both = place.path("both.pem")
    with open(both, "w", encoding="ascii") as f:
        f.write(open(pem("client.pem"), encoding="ascii").read() + open(pem("client.key"), encoding="ascii").read())
    same(answer(asks, ca=ca, certificate=both), "done", "certificate and key in one file:")
    check(answer(asks, ca=ca).startswith("again: "), "no client certificate")
    check(answer(asks, ca=ca, certificate=pem("stranger.pem"), key=pem("client.key")).startswith("again: "), "a stranger")
    for bad_key in ("server.key", "locked.key"):
        said = answer(asks, ca=ca, certificate=pem("client.pem"), key=pem(bad_key))
        check("key" in said and said != "done", bad_key, "as the client's key:", said)
    check("No such file" in answer(good, ca=place.path("none")), "a CA file that is not there")
    # a renewed file is read again
    mine = place.path("mine.pem")
    shutil.copy(pem("other-ca.pem"), mine)
    place.post.endpoint("r", place.url(good, "/", "https", "localhost"), ca=mine)
    fails("again: " + place.post.one("r")["why"], "certificate is not accepted")
    shutil.copy(ca, mine)
    fails("again: " + place.post.one("r")["why"], "certificate is not accepted")
    place.post.endpoint("r", place.url(good, "/", "https", "localhost"), "renew", ca=mine)
    same(place.post.one("r")["outcome"], "done", "renewed:")
    shutil.copy(pem("other-ca.pem"), mine)
    place.post.endpoint("r", place.url(good, "/", "https", "localhost"), "renew", ca=mine)
    fails("again: " + place.post.one("r")["why"], "certificate is not accepted")
    # many over few connections, HTTP/1.1 over TLS
    place.post.endpoint("many", place.url(good, "/", "https", "localhost"), ca=ca)
    place.post.posts("many", 300)
    same({a["outcome"] for a in place.post.wait(300)}, {"done"}, "300 over TLS:")
    check(place.post.stats("many")["connections"] <= 8, "connections:", place.post.stats("many"))


def part_http2(place):
    from receiver_h2 import ReceiverH2
    pem = place.certificates()

    def lane(name, **options):
        receiver = ReceiverH2(pem("server.pem"), pem("server.key"), **options)
        place.post.endpoint(name, place.url(receiver, "/", "https", "localhost"), ca=pem("ca.pem"))
        return receiver

    receiver = lane("h")
    same(place.post.one("h")["outcome"], "done", "HTTP/2:")
    receiver.together = 20  # it answers only when so many are open on one connection: they must be multiplexed
    place.post.posts("h", 200, 1000)
    same({a["outcome"] for a in place.post.wait(200)}, {"done"}, "200 over HTTP/2:")
    same((receiver.connections, place.post.stats("h")["connections"]), (1, 1), "connections:")
    check(receiver.most_open >= 20, "open at once:", receiver.most_open)
    same(place.post.stats("h")["http2"], 201, "answers over HTTP/2:")
    same(sorted(r["body"] == "b" * 1000 for r in receiver.records[1:]), [True] * 200, "bodies:")
    check(all(r["headers"].get("webhook-signature", "").count("v1,") == 2 for r in receiver.records), "signed")
    # the first requests of all: one connection, too
    receiver = lane("cold", together=1)
    place.post.posts("cold", 50)
    same({a["outcome"] for a in place.post.wait(50)}, {"done"}, "50 at the start:")
    check(receiver.connections <= 8, "connections at the start:", receiver.connections)
    # few streams allowed
    receiver = lane("few", streams=3)
    place.post.posts("few", 60)
    same({a["outcome"] for a in place.post.wait(60)}, {"done"}, "three streams at once:")
    check(receiver.most_open <= 3 and receiver.connections <= 8, receiver.most_open, receiver.connections)
    # refused streams are sent again by libcurl; a connection that is left is opened again
    receiver = lane("refuse")
    receiver.refuse = 2
    place.post.posts("refuse", 10)
    done = {a["id"] for a in place.post.wait(10) if a["outcome"] == "done"}
    check(len(done) >= 8, "done though streams were refused:", len(done))
    receiver = lane("leave")
    done = 0
    for round_ in range(5):
        receiver.leave = 5
        place.post.posts("leave", 10)
        done += sum(a["outcome"] == "done" for a in place.post.wait(10))
    check(done >= 25, "done though connections ended:", done)
    same(place.post.one("leave")["outcome"], "done", "after that:")


# ---- the program -------------------------------------------------------------------------------------

def part_wake(place):
    receiver = place.receiver()
    place.set("* hang")
    place.post.endpoint("w", place.url(receiver))
    place.post.posts("w", 3)
    for ms in (0, 1, 20):
        place.post.send("wake %d" % ms)
        same(place.post.read(), "woken", "wake:")
    place.post.send("wait 1 0")
    same(place.post.read(), "none", "nothing has come:")
    place.post.send("free w")  # aborts; no answer comes
    place.set("* 200")
    place.post.endpoint("x", place.url(receiver))
    place.post.posts("x", 5)
    same(sorted(a["id"] for a in place.post.wait(5)), ["x-%d" % i for i in range(1, 6)], "answers after a free:")
    # renew while requests are under way: they go on, what waits goes the new way
    place.set("/old 200 delay=0.3", "/new 200")
    place.post.endpoint("n", place.url(receiver, "/old"), max_connections=2)
    place.post.posts("n", 6)
    place.post.endpoint("n", place.url(receiver, "/new"), "renew", max_connections=2)
    same({a["outcome"] for a in place.post.wait(6)}, {"done"}, "over a renew:")
    same(sorted(r["path"] for r in read_log(receiver.path)[-6:]), ["/new"] * 4 + ["/old"] * 2, "paths over a renew:")


def part_stop(place):
    """The end with requests in all states, TLS and names among them; place.close() judges."""
    pem = place.certificates()
    plain, secure = place.receiver(), place.receiver(tls=(pem("server.pem"), pem("server.key")))
    silent = socket.create_server(("127.0.0.1", 0))  # never says a word: the TLS handshake hangs
    place.set("* 200, 200, hang")
    for name, url in (("a", place.url(plain)), ("b", place.url(secure, "/", "https", "localhost")),
                      ("c", "https://127.0.0.1:%d/" % silent.getsockname()[1]), ("d", "http://slow.test/"),
                      ("e", "http://127.0.0.1:%d/" % silent.getsockname()[1])):
        place.post.endpoint(name, url, ca=pem("ca.pem"))
        place.post.posts(name, 30, 100000)
    same(len(place.post.wait(3)), 3, "answers before the end:")
    place.post.endpoint("a", place.url(plain), "renew")


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    signal.alarm(900)
    for name, part in [(k[5:], v) for k, v in globals().items() if k.startswith("part_")]:
        if wanted and name not in wanted:
            continue
        before = client.faults
        place = Place(program)
        part(place)
        place.close()
        print("%s %s" % ("ok  " if client.faults == before else "FAIL", name), flush=True)
    print("%d checks, %d faults" % (client.checks, client.faults))
    return 1 if client.faults else 0


if __name__ == "__main__":
    sys.exit(main())
