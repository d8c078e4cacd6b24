# SPDX-License-Identifier: Apache-2.0
"""A receiver over HTTP/2 and TLS (Debian package python3-h2), from threads of the test's process.

    ReceiverH2(certificate, key, together=N)    `together` requests must be open on one connection before any of
                                                them is answered; streams: how many it allows at once
    .port  .records [{"connection", "stream", "id", "headers", "body", "open"}]  .connections  .most_open
    .refuse = N     the next N streams are reset with REFUSED_STREAM
    .leave = N      after N more answers: GOAWAY and the end of the connection
"""
import socket
import ssl
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings


class ReceiverH2:
    def __init__(self, certificate, key, together=1, streams=100, delay=0):
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        self.tls.set_alpn_protocols(["h2"])
        self.together, self.streams, self.delay = together, streams, delay
        self.refuse, self.leave = 0, None
        self.records, self.connections, self.most_open = [], 0, 0
        self.lock = threading.Lock()
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.sock.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            sock, _ = self.sock.accept()
            self.connections += 1
            threading.Thread(target=self.guarded, args=(sock, self.connections), daemon=True).start()

    def guarded(self, sock, number):
        try:
            self.converse(self.tls.wrap_socket(sock, server_side=True), number)
        except OSError:
            pass

    def converse(self, sock, number):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        conn = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        conn.local_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = self.streams
        conn.initiate_connection()
        sock.sendall(conn.data_to_send())
        open_streams, whole = {}, []
        while True:
            data = sock.recv(65536)
            if not data:
                return
            for event in conn.receive_data(data):
                self.take(conn, event, open_streams, whole)
            with self.lock:
                self.most_open = max(self.most_open, len(open_streams))
            if len(whole) >= self.together:
                for stream in whole:
                    self.answer(conn, number, stream, open_streams)
                whole.clear()
            sock.sendall(conn.data_to_send())
            if self.leave is not None and self.leave <= 0:
                self.leave = None
                conn.close_connection()
                sock.sendall(conn.data_to_send())
                sock.close()
                return

    def take(self, conn, event, open_streams, whole):
        if isinstance(event, h2.events.RequestReceived):
            if self.refuse > 0:
                self.refuse -= 1
                conn.reset_stream(event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
                return
            headers = {k if isinstance(k, str) else k.decode(): v if isinstance(v, str) else v.decode()
                       for k, v in event.headers}
            open_streams[event.stream_id] = {"headers": headers, "body": b""}
        elif isinstance(event, h2.events.DataReceived):
            conn.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in open_streams:
                open_streams[event.stream_id]["body"] += event.data
        elif isinstance(event, h2.events.StreamEnded):
            if event.stream_id in open_streams:
                whole.append(event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            open_streams.pop(event.stream_id, None)
            if event.stream_id in whole:
                whole.remove(event.stream_id)

    def answer(self, conn, number, stream, open_streams):
        conn.send_headers(stream, [(":status", "204")], end_stream=True)
        with self.lock:
            got = open_streams.pop(stream)
            self.records.append({"connection": number, "stream": stream, "id": got["headers"].get("webhook-id"),
                                 "headers": got["headers"], "body": got["body"].decode(),
                                 "open": len(open_streams) + 1})
            if self.leave is not None:
                self.leave -= 1
