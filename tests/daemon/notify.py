# SPDX-License-Identifier: Apache-2.0
"""A service manager for the tests: python3 notify.py SOCKET FILE: listens, and writes what it is told into FILE,
a message a line, its parts joined by `|`, with the ms since it began in front."""
import socket
import sys
import time


def main():
    path, name = sys.argv[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(path)
        begin = time.monotonic()
        with open(name, "w", encoding="utf-8", buffering=1) as out:
            while True:
                text = s.recv(65536).decode()
                print("%d %s" % ((time.monotonic() - begin) * 1000, text.replace("\n", "|")), file=out)


if __name__ == "__main__":
    sys.exit(main())
