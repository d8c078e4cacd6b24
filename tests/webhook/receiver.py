#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A receiver of webhooks that behaves as it is told, well or badly, and writes down what it got.

    receiver.py --log FILE [--port-file FILE] [--script FILE | --do 'PATH STEPS']... [--port N]
                [--tls CERTIFICATE KEY] [--client-ca FILE] [--tls-most 1.2] [--secret SECRET]... [--host ADDRESS]

The port is the kernel's choice unless given (to "return" after a kill: the same again); it is printed, and
written to --port-file when it listens. SIGTERM ends it, kill -9 is fine: the log has whole lines.

--script FILE has lines `PATH STEPS` and is looked at again at each request: replace it (mv) to change what the
receiver does. `*` is every other path. Without a line for it a path answers 200. STEPS, separated by commas,
are taken in turn by the requests of that path, and the last one stays; `STEP * N` is N times that. With
`each:` before them each webhook-id has its own turn: `each: 500 * 2, 200` fails the first two tries of each id. (A new process counts anew.)

    200 204 404 ...      an answer of that status; options behind it:
        retry-after=3            seconds; retry-after=date+3: the date in 3 s; retry-after=date850+3 and
                                 =asctime+3: the two old forms; anything else as it is
        location=URL   body=TEXT   delay=SECONDS (before it answers)
        close                    says `Connection: close` and closes
        drop                     closes after the answer without having said so
    hang                 no answer, as long as the client stays
    close                closes without an answer
    reset                RST instead of an answer
    cut                  closes when it has the headers and before it reads the body
    half                 half of a 200 (its body is cut), then closes
    head                 half of a status line, then closes
    drip                 a 200 whose body comes a byte each 50 ms and has 100,000
    huge                 a 200 with a body of 10^8 bytes
    headers              a 200 with headers without end
    junk                 an answer that is no HTTP
    early                answers 200 after the headers, without reading the body; then closes

The log, a line of JSON each request, in the order in which they came:
    n            1, 2, ...               time         seconds since 1970
    path method headers (names in lower case) body (text; body64 if it is not UTF-8)
    id           webhook-id              connection   number of the connection    nth   request of it
    did          the step as written     ok           true: a whole 2xx answer was sent, or tried to
    signature    good, bad or none by --secret (Standard Webhooks, by Python's hmac); only with --secret
A request whose body did not come whole is not written.

As a module: Receiver(log, ...) serves from threads of this process; wait_port(FILE); read_log(FILE).
"""
import argparse
import base64
import email.utils
import hashlib
import hmac
import json
import os
import signal
import socket
import ssl
import struct
import sys
import threading
import time

REASONS = {200: "OK", 204: "No Content", 301: "Moved Permanently", 410: "Gone", 429: "Too Many Requests"}


def http_date(form, seconds):
    """The date so many seconds from now, in one of the three forms of RFC 9110 5.6.7."""
    then = time.gmtime(time.time() + seconds)
    day = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[then.tm_wday]
    month = "JanFebMarAprMayJunJulAugSepOctNovDec"[then.tm_mon * 3 - 3:then.tm_mon * 3]
    clock = "%02d:%02d:%02d" % (then.tm_hour, then.tm_min, then.tm_sec)
    if form == "date850":
        return "%s, %02d-%s-%02d %s GMT" % (day, then.tm_mday, month, then.tm_year % 100, clock)
    if form == "asctime":
        return "%s %s %2d %s %d" % (day[:3], month, then.tm_mday, clock, then.tm_year)
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


def secret_bytes(secret):
    return base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()


def signature_of(secret, message_id, timestamp, body):
    text = message_id.encode() + b"." + timestamp.encode() + b"." + body
    return "v1," + base64.b64encode(hmac.new(secret_bytes(secret), text, hashlib.sha256).digest()).decode()


def judge_signature(headers, body, secrets):
    """good if each secret has signed, none without any signature."""
    if "webhook-signature" not in headers:
        return "none"
    said = headers["webhook-signature"].split(" ")
    timestamp = headers.get("webhook-timestamp", "")
    want = [signature_of(secret, headers.get("webhook-id", ""), timestamp, body) for secret in secrets]
    fresh = timestamp.isdigit() and abs(int(timestamp) - time.time()) < 300
    return "good" if fresh and said == want else "bad"


class Step:
    def __init__(self, text):
        words = text.split()
        self.text = " ".join(words)
        self.do = words[0]
        self.options = dict(w.split("=", 1) if "=" in w else (w, "") for w in words[1:])
        self.status = int(self.do) if self.do.isdigit() else 200

    def is_ok(self):
        return self.do.isdigit() and 200 <= self.status < 300


class Script:
    """What each path does; steps are counted for each path, or each path and id."""

    def __init__(self, file, lines):
        self.file = file
        self.stamp = None
        self.lock = threading.Lock()
        self.turns = {}
        self.paths = {}
        self.set(lines)

    def set(self, lines):
        self.paths = {}
        for line in lines:
            path, _, steps = line.strip().partition(" ")
            if not path or path.startswith("#"):
                continue
            steps = steps.strip()
            each = steps.startswith("each:")
            found = []
            for step in (steps[5:] if each else steps).split(","):
                words, _, times = step.partition("*")
                found += [Step(words)] * (int(times) if times.strip() else 1)
            self.paths[path] = (each, found, line)

    def look(self):
        if not self.file:
            return
        try:
            stat = os.stat(self.file)
        except FileNotFoundError:
            return
        stamp = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
        if stamp != self.stamp:
            self.stamp = stamp
            with open(self.file, encoding="utf-8") as f:
                self.set(f.read().splitlines())

    def step(self, path, message_id):
        with self.lock:
            self.look()
            each, steps, line = self.paths.get(path) or self.paths.get("*") or (False, [Step("200")], "")
            turn = (path, line, message_id if each else None)
            at = self.turns.get(turn, 0)
            if at + 1 < len(steps):
                self.turns[turn] = at + 1
            return steps[min(at, len(steps) - 1)]


class Gone(Exception):
    """The client has closed, or must be left."""


class Connection:
    def __init__(self, receiver, sock, number):
        self.receiver = receiver
        self.sock = sock
        self.number = number
        self.nth = 0
        self.kept = b""

    def run(self):
        try:
            if self.receiver.tls:
                self.sock.settimeout(120)
                self.sock = self.receiver.tls.wrap_socket(self.sock, server_side=True)
            self.sock.settimeout(None)
            while self.one():
                pass
        except (Gone, OSError, ValueError):
            pass
        finally:
            try:
                self.sock.close()
            except OSError:
                pass

    def more(self):
        got = self.sock.recv(65536)
        if not got:
            raise Gone
        self.kept += got

    def one(self):
        while b"\r\n\r\n" not in self.kept:
            self.more()
        head, _, self.kept = self.kept.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        self.nth += 1
        step = self.receiver.script.step(path, headers.get("webhook-id", ""))
        if step.do == "cut":
            return False
        if step.do == "early":
            self.answer(Step("200 close"))
            return False
        length = int(headers.get("content-length", "0"))
        while len(self.kept) < length:
            self.more()
        body, self.kept = self.kept[:length], self.kept[length:]
        self.receiver.write(self, method, path, headers, body, step)
        return self.act(step)

    def act(self, step):
        send = self.sock.sendall
        if step.do.isdigit():
            return self.answer(step)
        if step.do == "hang":
            while True:
                self.more()
        if step.do == "reset":
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif step.do == "half":
            send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf of")
        elif step.do == "head":
            send(b"HTTP/1.1 20")
        elif step.do == "junk":
            send(b"\x00\x01\x02 this is no HTTP\r\n\r\n")
        elif step.do == "drip":
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            for _ in range(100000):
                send(b"x")
                time.sleep(0.05)
        elif step.do == "huge":
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
            for _ in range(1000):
                send(b"x" * 100000)
            return True
        elif step.do == "headers":
            send(b"HTTP/1.1 200 OK\r\n")
            for i in range(100000):
                send(b"X-%d: %s\r\n" % (i, b"y" * 1000))
        elif step.do != "close":
            raise ValueError(step.text)
        return False

    def answer(self, step):
        if "delay" in step.options:
            time.sleep(float(step.options["delay"]))
        lines = ["HTTP/1.1 %d %s" % (step.status, REASONS.get(step.status, "As Told"))]
        after = step.options.get("retry-after")
        if after is not None:
            form, _, seconds = after.partition("+")
            if form in ("date", "date850", "asctime"):
                after = http_date(form, int(seconds))
            lines.append("Retry-After: " + after)
        if "location" in step.options:
            lines.append("Location: " + step.options["location"])
        if "close" in step.options:
            lines.append("Connection: close")
        body = step.options.get("body", "ok" if step.status == 200 else "").encode()
        if step.status != 204:
            lines.append("Content-Length: %d" % len(body))
        self.sock.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body if step.status != 204 else b""))
        return "close" not in step.options and "drop" not in step.options


class Receiver:
    def __init__(self, log, script=None, do=(), port=0, host="127.0.0.1", tls=None, client_ca=None,
                 tls_most=None, secrets=()):
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.script = Script(script, do)
        self.secrets = list(secrets)
        self.lock = threading.Lock()
        self.n = 0
        self.tls = None
        if tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*tls)
            if client_ca:
                self.tls.verify_mode = ssl.CERT_REQUIRED
                self.tls.load_verify_locations(client_ca)
            if tls_most:
                self.tls.maximum_version = ssl.TLSVersion["TLSv" + tls_most.replace(".", "_")]
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.sock = socket.socket(family)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.sock.bind((host, port))
        self.sock.listen(512)
        self.port = self.sock.getsockname()[1]

    def serve(self):
        number = 0
        while True:
            sock, _ = self.sock.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            threading.Thread(target=Connection(self, sock, number).run, daemon=True).start()

    def start(self):
        """Serves from a thread; returns self."""
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def write(self, connection, method, path, headers, body, step):
        record = {"n": 0, "time": time.time(), "id": headers.get("webhook-id"), "path": path, "method": method,
                  "connection": connection.number, "nth": connection.nth, "did": step.text, "ok": step.is_ok()}
        if self.secrets:
            record["signature"] = judge_signature(headers, body, self.secrets)
        record["headers"] = headers
        try:
            record["body"] = body.decode()
        except UnicodeDecodeError:
            record["body64"] = base64.b64encode(body).decode()
        with self.lock:
            self.n += 1
            record["n"] = self.n
            os.write(self.log, (json.dumps(record) + "\n").encode())


def wait_port(file, seconds=240):
    """The port that a receiver (another process) has written to its --port-file."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(file, encoding="ascii") as f:
                text = f.read()
            if text.endswith("\n"):
                return int(text)
        except FileNotFoundError:
            pass
        time.sleep(0.01)
    raise TimeoutError("no receiver has written " + file)


def read_log(file):
    """Its records; a last line that is not whole yet is left out."""
    with open(file, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.endswith("\n")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--log", required=True)
    parser.add_argument("--port-file")
    parser.add_argument("--script")
    parser.add_argument("--do", action="append", default=[])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--tls", nargs=2)
    parser.add_argument("--client-ca")
    parser.add_argument("--tls-most")
    parser.add_argument("--secret", action="append", default=[])
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    receiver = Receiver(args.log, args.script, args.do, args.port, args.host, args.tls, args.client_ca,
                        args.tls_most, args.secret)
    if args.port_file:
        with open(args.port_file + ".new", "w", encoding="ascii") as f:
            f.write("%d\n" % receiver.port)
        os.replace(args.port_file + ".new", args.port_file)
    print(receiver.port, flush=True)
    receiver.serve()


if __name__ == "__main__":
    sys.exit(main())
