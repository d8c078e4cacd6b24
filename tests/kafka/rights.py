# SPDX-License-Identifier: Apache-2.0
"""Who may do what at a broker, and with which password: ACLs and users of SCRAM. A few requests of Kafka's protocol,
which neither kcat nor librdkafka 2.0.2 has, without the start of a JVM for each.

    rights = Rights("127.0.0.1:9092")
    rights.allow("User:alice", "write", "topic", "alerts")
    rights.forbid("User:alice", "write", "topic", "alerts")     # takes that away again
    rights.password("alice", "SCRAM-SHA-512", "secret")
"""
import hashlib
import os
import socket
import struct

TYPES = {"topic": 2, "group": 3, "cluster": 4, "transactional_id": 5}
OPERATIONS = {"read": 3, "write": 4, "create": 5, "delete": 6, "alter": 7, "describe": 8, "idempotent_write": 12}
LITERAL, PREFIXED, ALLOW = 3, 4, 3
CREATE_ACLS, DELETE_ACLS, ALTER_SCRAM = 30, 31, 51
MECHANISMS = {"SCRAM-SHA-256": (1, "sha256"), "SCRAM-SHA-512": (2, "sha512")}
ITERATIONS = 4096


class Refused(Exception):
    pass


def text(s):
    data = s.encode()
    return struct.pack(">h", len(data)) + data


def compact(data):
    """Of less than 127 bytes."""
    data = data.encode() if isinstance(data, str) else data
    return bytes([len(data) + 1]) + data


class Rights:
    def __init__(self, address):
        host, _, port = address.rpartition(":")
        self.address = host, int(port)

    def _ask(self, api, version, body, flexible):
        head = struct.pack(">hhi", api, version, 1) + text("tests") + (b"\0" if flexible else b"")
        with socket.create_connection(self.address, 30) as s:
            s.sendall(struct.pack(">i", len(head + body)) + head + body)
            answer = b""
            while len(answer) < 4 or len(answer) < 4 + struct.unpack(">i", answer[:4])[0]:
                more = s.recv(65536)
                if not more:
                    raise Refused("the broker closed the connection")
                answer += more
        return answer[8:]  # behind length and correlation id

    def allow(self, who, operation, kind, name="kafka-cluster", prefixed=False):
        body = struct.pack(">ib", 1, TYPES[kind]) + text(name) + bytes([PREFIXED if prefixed else LITERAL])
        body += text(who) + text("*") + bytes([OPERATIONS[operation], ALLOW])
        _, n, error = struct.unpack(">iih", self._ask(CREATE_ACLS, 1, body, False)[:10])
        if n != 1 or error:
            raise Refused(f"CreateAcls: {error}")

    def forbid(self, who, operation, kind, name="kafka-cluster"):
        body = struct.pack(">ib", 1, TYPES[kind]) + text(name) + bytes([LITERAL])
        body += text(who) + text("*") + bytes([OPERATIONS[operation], ALLOW])
        answer = self._ask(DELETE_ACLS, 1, body, False)
        _, n, error = struct.unpack(">iih", answer[:10])
        _, matching = struct.unpack(">hi", answer[10:16])
        if n != 1 or error or matching != 1:
            raise Refused(f"DeleteAcls: {error}, {matching} of them")

    def password(self, user, mechanism, password):
        number, digest = MECHANISMS[mechanism]
        salt = os.urandom(16)
        salted = hashlib.pbkdf2_hmac(digest, password.encode(), salt, ITERATIONS)
        body = b"\x01\x02" + compact(user) + bytes([number]) + struct.pack(">i", ITERATIONS) + compact(salt)
        body += compact(salted) + b"\0\0"
        answer = self._ask(ALTER_SCRAM, 0, body, True)
        # tags, throttle time, results: each user, error, message, tags
        at = 1 + 4 + 1
        at += answer[at]
        error = struct.unpack(">h", answer[at:at + 2])[0]
        if error:
            raise Refused(f"AlterUserScramCredentials: {error}")
