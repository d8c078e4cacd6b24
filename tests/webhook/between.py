# SPDX-License-Identifier: Apache-2.0
"""What stands between a client and its receiver: a network that forgets, a proxy."""
import socket
import threading


class Relay:
    """Hands bytes to a port and back, until it forgets: then what is connected stays so, and nothing goes through."""

    def __init__(self, port):
        self.to, self.age, self.lock = port, 0, threading.Lock()
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def forget(self):
        self.age += 1

    def serve(self):
        while True:
            sock, _ = self.sock.accept()
            server = socket.create_connection(("127.0.0.1", self.to))
            for a, b in ((sock, server), (server, sock)):
                threading.Thread(target=self.copy, args=(a, b, self.age), daemon=True).start()

    def copy(self, a, b, age):
        try:
            while True:
                data = a.recv(65536)
                if not data:
                    break
                if age == self.age:
                    b.sendall(data)
            if age == self.age:
                b.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Proxy:
    """CONNECT and absolute URLs; keeps what was asked."""

    def __init__(self):
        self.asked = []
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            sock, _ = self.sock.accept()
            threading.Thread(target=self.one, args=(sock,), daemon=True).start()

    def one(self, sock):
        head = b""
        while b"\r\n\r\n" not in head:
            got = sock.recv(65536)
            if not got:
                return
            head += got
        self.asked.append(head.decode("latin-1"))
        method, target, _ = head.decode("latin-1").split(" ", 2)
        host = target.split("/")[2] if "://" in target else target
        server = socket.create_connection(("127.0.0.1", int(host.rsplit(":", 1)[1])))
        if method == "CONNECT":
            sock.sendall(b"HTTP/1.1 200 yes\r\n\r\n")
        else:
            server.sendall(head.replace(target.encode(), b"/" + target.split("/", 3)[3].encode(), 1))
        threading.Thread(target=self.copy, args=(server, sock), daemon=True).start()
        self.copy(sock, server)

    def copy(self, a, b):
        try:
            while True:
                data = a.recv(65536)
                if not data:
                    break
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass
