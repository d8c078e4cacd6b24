#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kafka as it is really run: TLS, SASL, clients that have certificates, ACLs.

    secure.py --tocsind FILE [--work DIR] [--only NAME,...]

What a daemon says when something of it is wrong, that it goes on by itself when it is right, that nothing is lost or
comes twice meanwhile; that exactly the rights of grammar/kafka.md are enough; that secrets are nowhere to be seen.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from broker import Broker
from rights import Rights
from sink_place import Test, check, main, run_tests, until

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE = os.path.join(HERE, "../../grammar/kafka.md")
PLAIN_USERS = ["anna", *("r%d" % i for i in range(12))]
LISTENERS = [("TLS", "SSL"), ("MTLS", "SSL"), ("WRONG", "SSL"), ("EXPIRED", "SSL"), ("SASL", "SASL_SSL")]


def password(user):
    return "secret-of-" + user


def properties(certs):
    """Of the broker. On the plain listener everybody may do all."""
    login = "org.apache.kafka.common.security"
    lines = ["authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
             "allow.everyone.if.no.acl.found=false", "super.users=User:ANONYMOUS",
             "ssl.keystore.type=PEM", "ssl.keystore.location=%s/server.store" % certs,
             "ssl.truststore.type=PEM", "ssl.truststore.location=%s/ca.pem" % certs,
             "ssl.principal.mapping.rules=RULE:^CN=([^,]*).*$/$1/",
             "listener.name.mtls.ssl.client.auth=required",
             "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
             "listener.name.sasl.plain.sasl.jaas.config=%s.plain.PlainLoginModule required %s;"
             % (login, " ".join('user_%s="%s"' % (u, password(u)) for u in PLAIN_USERS))]
    for name in ("wrong", "expired"):
        lines += ["listener.name.%s.ssl.keystore.type=PEM" % name,
                  "listener.name.%s.ssl.keystore.location=%s/%s.store" % (name, certs, name)]
    for digest in ("256", "512"):
        lines.append("listener.name.sasl.scram-sha-%s.sasl.jaas.config=%s.scram.ScramLoginModule required;" % (digest, login))
    return lines


def make_certificates(certs):
    os.makedirs(certs)
    subprocess.run(["sh", os.path.join(HERE, "../webhook/certificates.sh"), certs], check=True)
    with open(os.path.join(certs, "server.key"), "rb") as f:
        key = subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt"], check=True, stdin=f, stdout=subprocess.PIPE).stdout
    for name in ("server", "wrong", "expired"):
        with open(os.path.join(certs, name + ".pem"), "rb") as f:
            with open(os.path.join(certs, name + ".store"), "wb") as store:
                store.write(key + f.read())


class Secure(Test):
    """A client's settings for each way to connect."""

    def __init__(self, broker, args, name="tocsin"):
        super().__init__(broker, args, name)
        self.certs = os.path.join(args.work, "certs")
        self.rights = Rights(broker.address)

    def cert(self, name):
        return os.path.join(self.certs, name)

    def tls(self, ca="ca.pem"):
        return 'security.protocol SSL  ssl.ca.location "%s"' % self.cert(ca)

    def mtls(self, certificate="client.pem", key="client.key"):
        return self.tls() + '  ssl.certificate.location "%s"  ssl.key.location "%s"' % (self.cert(certificate), self.cert(key))

    def sasl(self, user, secret=None, mechanism="PLAIN"):
        return ('security.protocol SASL_SSL  ssl.ca.location "%s"  sasl.mechanism "%s"  sasl.username "%s"  sasl.password %s'
                % (self.cert("ca.pem"), mechanism, user, secret or '"%s"' % password(user)))

    def kafka(self, listener, rest, options):
        where = self.broker.listener[listener] if listener in self.broker.listener else listener
        return 'kafka { brokers "%s"  %s  options { %s  reconnect.backoff.max.ms 500 } }' % (where, rest, options)

    def source_of(self, name, topic, listener, options, group="tocsin"):
        where = 'topics "%s"  group "%s"' % (topic, group)
        return "source %s { %s  time t  idle 1d }\n" % (name, self.kafka(listener, where, options))

    def sink_of(self, name, topic, listener, options, more=""):
        """Its application is the name of its topic."""
        return "sink %s { %s %s }\n" % (name, self.kafka(listener, 'topic "%s" application "%s"' % (topic, topic), options), more)

    def produce(self, topic, first, count):
        self.broker.produce(topic, [json.dumps({"t": 1790000000000 + n, "user": "u%d" % (n % 7), "n": n})
                                    for n in range(first, first + count)])


# ---- ways to connect ------------------------------------------------------------------------------------------


def ways(t):
    """From a topic to topics, exactly once and at least once."""
    ways = {"tls": ("TLS", t.tls()), "mtls": ("MTLS", t.mtls()), "plain": ("SASL", t.sasl("anna"))}
    everything(t, "User:client", "User:anna")
    if t.broker.library() >= (2, 6, 1):
        for digest in ("256", "512"):
            t.rights.password("sara", "SCRAM-SHA-" + digest, password("sara"))
            ways["scram" + digest] = ("SASL", t.sasl("sara", mechanism="SCRAM-SHA-" + digest))
        everything(t, "User:sara")
    daemons = {}
    for way, (listener, options) in ways.items():
        for suffix in ("in", "out", "least"):
            t.topic("w-%s-%s" % (way, suffix), 1)
        t.produce("w-%s-in" % way, 0, 50)
        d = t.daemon(way, t.sink_of("out", "w-%s-out" % way, listener, options) +
                     t.sink_of("least", "w-%s-least" % way, listener, options, "delivery at_least_once") +
                     "default_to [out, least]\n", sources=t.source_of("ev", "w-%s-in" % way, listener, options))
        daemons[way] = d.start()
    for way in ways:
        t.until_there("w-%s-out" % way, 50)
        t.until_there("w-%s-least" % way, 50)
    for way, d in daemons.items():
        d.stop()
        t.once("w-%s-out" % way, 50)
        t.once("w-%s-least" % way, 50)


# ---- rights ------------------------------------------------------------------------------------------------------


def documented():
    """Of who does what: operation, kind and name of the resource, as the reference has it."""
    found = {"source": [], "exactly_once": [], "at_least_once": []}
    with open(REFERENCE, encoding="utf-8") as f:
        rows = re.findall(r"^ *\| (a s[^|]+) \| `(\w+)` \| ([\w ]+) \| ([^|]+) \|$", f.read(), re.M)
    for who, operation, kind, name in rows:
        role = next((role for role in found if role in who))
        name = re.search(r"`([\w.]+)`", name).group(1)
        found[role].append((operation.lower(), kind.replace(" ", "_"), name))
    return found


class Case:
    """A daemon whose user has all rights that the reference names but one."""

    def __init__(self, t, number, role, of, lacks):
        self.t, self.role, self.user, self.count = t, role, "User:r%d" % number, 0
        self.topic_in, self.out = t.topic("r%d-in" % number, 1), t.topic("r%d-out" % number, 1)
        topic = self.topic_in if role == "source" else self.out
        fill = {"topics": topic, "TOPIC": topic, "GROUP": "g%d" % number, "APPLICATION.SINK": self.out + ".out",
                "APPLICATION.SINK.outbox": self.out + ".out.outbox"}
        self.group = fill["GROUP"]
        self.rights = [(operation, kind, fill[name]) for operation, kind, name in of]
        self.lacks = self.rights[lacks] if lacks is not None else None
        for right in self.rights:
            if right != self.lacks:
                t.rights.allow(self.user, *right)
        options, plain = t.sasl("r%d" % number), "client.id plain"
        of_source = ("SASL", options) if role == "source" else (t.broker.address, plain)
        of_sink = (t.broker.address, plain) if role == "source" else ("SASL", options)
        self.d = t.daemon("r%d" % number, t.sink_of("out", self.out, *of_sink, "delivery at_least_once" if role ==
                                                    "at_least_once" else "") + "default_to out\n", http=True,
                          sources=t.source_of("ev", self.topic_in, *of_source, group=self.group))
        self.d.start()
        self.produce(20)

    def name(self):
        return "%s without %s" % (self.role, self.lacks)

    def is_of_group(self):
        """Reading goes on without this right."""
        return self.role == "source" and self.lacks and self.lacks[1] == "group"

    def produce(self, count):
        self.t.produce(self.topic_in, self.count, count)
        self.count += count

    def until_told(self, times=1):
        operation, kind, name = self.lacks
        text = "the right `%s` on the %s %s is missing" % (operation.capitalize(), kind.replace("_", " "), name)
        until("%s says: %s" % (self.name(), text), lambda: self.d.log().count(text) >= times)
        if not self.is_of_group():
            until("%s is not ready" % self.name(), lambda: self.d.ready("readyz?strict=1")[0] == 503)

    def until_done(self):
        until("%s: all alerts" % self.name(), lambda: len(self.t.numbers(self.out)) >= self.count)
        until("%s is ready" % self.name(), lambda: self.d.ready("readyz?strict=1")[0] == 200)
        self.t.once(self.out, self.count)
        if self.role == "source":
            until("%s: the group is told" % self.name(),
                  lambda: self.t.broker.committed(self.topic_in, 1, self.group) == [self.count], 120)


def rights(t):
    """Those of the reference are enough, and each is needed: which is missing is told, and when it is given all goes
    on. The same when one is taken away while all works."""
    cases = []
    for role, of in documented().items():
        check(of, "the reference names rights of " + role)
        for lacks in [None, *range(len(of))]:
            cases.append(Case(t, len(cases), role, of, lacks))
    lacking = [case for case in cases if case.lacks]
    check(len(lacking) == 7, "the table of the reference was read: %d" % len(lacking))
    for case in lacking:
        case.until_told()
    for case in lacking:
        t.rights.allow(case.user, *case.lacks)
    for case in cases:
        case.until_done()
    for case in lacking:
        if not case.is_of_group(): # what is granted to a group is looked at when its coordinator is looked for
            t.rights.forbid(case.user, *case.lacks)
            case.produce(20)
    for case in lacking:
        if not case.is_of_group():
            case.until_told(2)
            t.rights.allow(case.user, *case.lacks)
    for case in cases:
        case.until_done()
        case.d.stop()


# ---- what may be wrong -------------------------------------------------------------------------------------------


def mistakes_of(t):
    """Name: listener, options, what is said, and what would be right there."""
    login, tls = "the brokers refuse the login: ", "no connection by TLS: "
    sasl, mtls = ("SASL", t.sasl("anna")), ("MTLS", t.mtls())
    oauth = t.sasl("anna", mechanism="OAUTHBEARER") + \
        ' enable.sasl.oauthbearer.unsecure.jwt true  sasl.oauthbearer.config "principal=anna"'
    found = {
        "password": ("SASL", t.sasl("anna", '"not-the-word"'), login + "*Invalid username or password", sasl),
        "mechanism": ("SASL", oauth, login + "*Unsupported SASL mechanism", sasl),
        "authority": ("TLS", t.tls("other-ca.pem"), tls + "*is by nobody whom `ssl.ca.location` trusts", sasl),
        "name": ("WRONG", t.tls(), tls + "*its certificate is for another host name", sasl),
        "expired": ("EXPIRED", t.tls(), tls + "*its certificate has expired", sasl),
        "no_certificate": ("MTLS", t.tls(), tls + "*they want a certificate", mtls),
        "stranger": ("MTLS", t.mtls("stranger.pem"), tls + "*they want a certificate", mtls),
        "plain_to_tls": ("TLS", "security.protocol PLAINTEXT", "no broker answers: *connecting to a SSL listener?", sasl),
        "tls_to_plain": (t.broker.address, t.tls(), tls + "*is it TLS what is spoken there?", sasl),
        "nobody": ("127.0.0.1:1", t.tls(), "no broker answers: *Connection refused", sasl),
        "no_host": ("kafka.invalid:9092", t.tls(), "no broker answers: *Failed to resolve", sasl),
    }
    if t.broker.library() < (2, 6, 1):
        found["scram"] = ("SASL", t.sasl("sara", mechanism="SCRAM-SHA-512"), login + "*takes no SCRAM of librdkafka", sasl)
    return found


def says(text, what):
    return re.search(re.escape(what).replace(r"\*", "[^\n]*"), text) is not None


def mistakes(t):
    """Each is told, of sources and of sinks; when the configuration is right all goes on after SIGHUP."""
    everything(t, "User:anna", "User:client")
    t.rights.password("sara", "SCRAM-SHA-512", password("sara"))
    cases = {}
    for way, (listener, options, what, right) in mistakes_of(t).items():
        for suffix in ("in", "out"):
            t.topic("m-%s-%s" % (way, suffix), 1)

        def configured(listener, options, way=way):
            return (t.source_of("ev", "m-%s-in" % way, listener, options),
                    t.sink_of("out", "m-%s-out" % way, listener, options) + "default_to out\n")

        sources, sinks = configured(listener, options)
        d = t.daemon("m-" + way, sinks, sources=sources, http=True).start()
        cases[way] = d, what, configured(*right)
        t.produce("m-%s-in" % way, 0, 20)
    for way, (d, what, _) in cases.items():
        until("%s: a source says: %s" % (way, what), lambda: says(d.ready("v1/sources")[1], what))
        until("%s: a sink says: %s" % (way, what), lambda: says(d.ready("v1/sinks")[1], what))
        check(says(d.log(), 'source="ev" why="' + what) and says(d.log(), 'sink="out" why="' + what), way + ": the log")
        check(d.ready("readyz?strict=1")[0] == 503 and d.ready()[0] == 200, way + ": it is up, and not well")
    for d, _, (sources, sinks) in cases.values():
        d.sources = sources
        d.configure(sinks)
        d.signal(signal.SIGHUP)
    for way, (d, _, _) in cases.items():
        t.until_there("m-%s-out" % way, 20)
        until(way + " is ready", lambda: d.ready("readyz?strict=1")[0] == 200)
        d.stop()
        t.once("m-%s-out" % way, 20)


def everything(t, *users):
    for user in users:
        for operation, kind in (("read", "topic"), ("write", "topic"), ("read", "group"), ("write", "transactional_id")):
            t.rights.allow(user, operation, kind, "*")


# ---- changed while it runs -----------------------------------------------------------------------------------------


def is_connected(d):
    """The sink `out` has claimed its marker, as it is now."""
    found = {sink["name"]: sink for sink in json.loads(d.ready("v1/sinks")[1])["sinks"]}
    return found["out"]["transactions"] > 0 and d.ready("readyz?strict=1")[0] == 200


def renewed(t):
    """Certificates and passwords in files, relative to the configuration: SIGHUP takes what is in them now; what cannot
    be used is refused, and the old goes on."""
    everything(t, "User:anna", "User:client")
    t.topic("n-out", 1)
    t.topic("n-least", 1)
    mtls = 'security.protocol SSL  ssl.ca.location "my-ca.pem"  ssl.certificate.location "./my.pem"  ssl.key.location my.key'
    d = t.daemon("renewed", t.sink_of("out", "n-out", "MTLS", mtls.replace("my.key", '"my.key"')) +
                 t.sink_of("least", "n-least", "SASL", t.sasl("anna", 'file("password")'), "delivery at_least_once") +
                 "default_to [out, least]\n", http=True)
    shutil.copy(t.cert("ca.pem"), d.at("my-ca.pem"))
    shutil.copy(t.cert("stranger.pem"), d.at("my.pem"))
    shutil.copy(t.cert("client.key"), d.at("my.key"))
    d.write("password", "an-old-one\n")
    d.append(10)
    d.start()
    until("both fail", lambda: says(d.ready("v1/sinks")[1], "they want a certificate") and
          says(d.ready("v1/sinks")[1], "Invalid username or password"))
    shutil.copy(t.cert("client.pem"), d.at("my.pem"))
    d.write("password", password("anna") + "\n")
    d.signal(signal.SIGHUP)
    for topic in ("n-out", "n-least"):
        t.until_there(topic, 10)
    d.until_logged("swapped")
    d.append(10)  # the first ones may have come before it, as who tries again reads certificates anew
    for topic in ("n-out", "n-least"):
        t.until_there(topic, 20)
    until("both run anew", lambda: is_connected(d))
    shutil.copy(t.cert("server.key"), d.at("my.key"))  # of another certificate
    d.signal(signal.SIGHUP)
    d.until_logged("reload refused")
    d.append(10)
    for topic in ("n-out", "n-least"):
        t.until_there(topic, 30)
    shutil.copy(t.cert("client.key"), d.at("my.key"))
    d.signal(signal.SIGHUP)
    d.until_logged("nothing has changed")
    d.stop()
    for topic in ("n-out", "n-least"):
        t.once(topic, 30)


# ---- secrets ---------------------------------------------------------------------------------------------------------


def secrets(t):
    """Are nowhere: not in the log, with all that librdkafka can say, not in answers, of `--check` neither, right or
    wrong, not in the state directory."""
    everything(t, "User:anna", "User:client")
    words = {"password": password("anna"), "wrong": "WrOnG-pass-word-7", "phrase": "PhRaSe-of-key-8"}
    subprocess.run(["openssl", "ec", "-in", t.cert("client.key"), "-aes128", "-passout", "pass:" + words["phrase"], "-out",
                    t.cert("secret.key")], check=True, stderr=subprocess.DEVNULL)
    with open(t.cert("client.key"), encoding="ascii") as f:
        words["key"] = f.read().split("\n")[1][:40]
    os.environ.update(SASL_WORD=words["password"], KEY_PHRASE=words["phrase"], WRONG_WORD=words["wrong"])
    inline = t.tls() + ' ssl.certificate.pem file("%s")  ssl.key.pem file("%s")' % (t.cert("client.pem"), t.cert("client.key"))
    debug = ' debug "all"'
    ways = {
        "one": ("SASL", t.sasl("anna", 'env("SASL_WORD")') + debug),
        "two": ("MTLS", t.mtls(key="secret.key") + ' ssl.key.password env("KEY_PHRASE")' + debug),
        "three": ("MTLS", inline + debug),
        "four": ("SASL", t.sasl("anna", 'env("WRONG_WORD")') + debug),
        "five": ("SASL", t.sasl("anna", 'env("WRONG_WORD")', mechanism="SCRAM-SHA-512") + debug),
    }
    sinks = "".join(t.sink_of(name, t.topic("s-" + name, 1), *way) for name, way in ways.items())
    t.topic("s-in", 1)
    d = t.daemon("secrets", sinks + "default_to [%s]\n" % ", ".join(ways), http=True, engine='log_level "debug"',
                 sources=t.source_of("ev", "s-in", *ways["one"]))
    t.produce("s-in", 0, 10)
    said = [checked(t, d, True)]
    d.start()
    for name in ("one", "two", "three"):
        t.until_there("s-" + name, 10)
    until("the others fail", lambda: d.ready("v1/sinks")[1].count("refuse the login") == 2)
    for path in ("readyz", "metrics", "v1/sinks", "v1/sources", "v1/info", "v1/rules", "v1/modules", "v1/audit", "v1/alerts",
                 "v1/openapi.json", "v1/checkpoints", "v1/dead_letters", "v1/sinks/four/dead_letters"):
        said.append(d.ready(path)[1])
    wrong = d.at("wrong.conf")
    for mistake in ('sasl.passwort env("SASL_WORD")', 'ssl.key.password env("WRONG_WORD")', 'sasl.password "%s" 1' % words["wrong"],
                    'linger.ms env("SASL_WORD")', 'ssl.key.pem env("SASL_WORD")', 'sasl.password %s' % words["phrase"]):
        text = d.text().replace(debug, debug + "  " + mistake)
        d.write("wrong.conf", text)
        said.append(checked(t, d, False, wrong))
    d.write("tocsin.conf", d.text().replace(debug, debug + '  linger.ms env("SASL_WORD")'))
    d.signal(signal.SIGHUP)
    d.until_logged("reload refused")
    d.stop()
    said.append(d.log())
    check("debug" in d.log() and len(d.log()) > 100000, "librdkafka says all")
    for directory, _, names in os.walk(d.at("state")):
        for name in names:
            with open(os.path.join(directory, name), "rb") as f:
                said.append(f.read().decode("latin-1"))
    for name, word in words.items():
        for i, text in enumerate(said):
            at = text.find(word)
            check(at < 0, "the %s is told (%d): ...%s" % (name, i, text[max(0, at - 200):at + 60]))


def checked(t, d, good, conf=None):
    done = subprocess.run([t.args.tocsind, "--check", "-c", conf or d.at("tocsin.conf")], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode()
    check((done.returncode == 0) == good, "--check: " + text)
    return text


TESTS = [ways, rights, mistakes, renewed, secrets]


def run(args):
    certs = os.path.join(args.work, "certs")
    make_certificates(certs)
    with Broker(os.path.join(args.work, "broker"), properties(certs), LISTENERS) as broker:
        return run_tests(broker, args, TESTS, Secure)


if __name__ == "__main__":
    main(run)
