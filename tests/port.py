# SPDX-License-Identifier: Apache-2.0
"""Ports of servers that must be known before they listen, or come back where they were.

    fixed_ports(N)      N of them, which nobody has; no two are the same
    port.py             prints one

They lie outside of those from which the kernel takes the ports of clients: such a one might have any other client, of any
other test, while the server is away.
"""
import random
import socket


def fixed_ports(n):
    with open('/proc/sys/net/ipv4/ip_local_port_range', encoding='ascii') as f:
        first = int(f.read().split()[0])
    dice = random.SystemRandom()  # two tests of one seed do not want the same
    held = []
    while len(held) < n:
        s = socket.socket()
        try:
            s.bind(('127.0.0.1', dice.randrange(10000, first) if first > 12000 else 0))
            held.append(s)
        except OSError:
            s.close()
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def fixed_port():
    return fixed_ports(1)[0]


if __name__ == '__main__':
    print(fixed_port())
