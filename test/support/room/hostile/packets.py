"""Counts the first packets of connections, and datagrams, that arrive at one network interface.

The argument names the interface. A line on standard input asks for the counts, and their JSON is the answer; the program
ends with its input. Packets that this namespace sends do not count, except on the loopback interface, where all arrive.
"""

import ctypes
import json
import os
import select
import socket
import struct
import sys
import time

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_STATISTICS = 6
PACKET_OUTGOING = 4
SO_ATTACH_FILTER = 26
SO_RCVBUFFORCE = 33
STUN_COOKIE = bytes.fromhex("2112a442")
TCP, UDP = 6, 17
IGNORED = {1, 2, 58, 0}  # ICMP, IGMP, ICMPv6, and multicast reports behind hop-by-hop options

# Keeps the first packet of each TCP connection, and all that is not TCP, of both versions of IP.
FILTER = [
    (0x28, 0, 0, 12),  # ldh [12]: the type
    (0x15, 0, 6, 0x0800),  # IPv4?
    (0x30, 0, 0, 23),  # ldb [23]: the protocol
    (0x15, 0, 10, TCP),
    (0xB1, 0, 0, 14),  # ldxb 4*([14]&0xf)
    (0x50, 0, 0, 14 + 13),  # ldb [x+27]: the flags
    (0x54, 0, 0, 0x12),
    (0x15, 6, 7, 0x02),
    (0x15, 0, 6, 0x86DD),  # IPv6?
    (0x30, 0, 0, 20),
    (0x15, 0, 3, TCP),
    (0x30, 0, 0, 54 + 13),
    (0x54, 0, 0, 0x12),
    (0x15, 0, 1, 0x02),
    (0x06, 0, 0, 256),
    (0x06, 0, 0, 0),
]


def open_socket(interface):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    code = b"".join(struct.pack("HBBI", *one) for one in FILTER)
    kept = ctypes.create_string_buffer(code)
    opened.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", len(FILTER), ctypes.addressof(kept)))
    opened.bind((interface, ETH_P_ALL))
    opened.setblocking(False)
    return opened


def fields(frame):
    """Returns the protocol, the addresses and the packet behind the addresses; None for other packets."""
    kind = struct.unpack_from("!H", frame, 12)[0]
    if kind == 0x0800:
        header = (frame[14] & 15) * 4
        return frame[23], socket.AF_INET, frame[26:30], frame[30:34], frame[14 + header :]
    if kind == 0x86DD:
        return frame[20], socket.AF_INET6, frame[22:38], frame[38:54], frame[54:]
    return None


def drain(opened, seen):
    while True:
        try:
            frame, (_, _, direction, _, _) = opened.recvfrom(512)
        except BlockingIOError:
            return
        if direction == PACKET_OUTGOING:
            continue
        found = fields(frame)
        if found is None or found[0] in IGNORED:
            continue
        protocol, family, source, target, rest = found
        name = {TCP: "tcp", UDP: "udp"}.get(protocol, f"protocol {protocol}")
        port = struct.unpack_from("!H", rest, 2)[0] if protocol in (TCP, UDP) else 0
        key = (name, socket.inet_ntop(family, target), port)
        entry = seen.setdefault(key, {"packets": 0, "stun": 0, "from": socket.inet_ntop(family, source), "firstMs": 0})
        entry["firstMs"] = entry["firstMs"] or int(time.time() * 1000)
        entry["packets"] += 1
        entry["stun"] += protocol == UDP and rest[12:16] == STUN_COOKIE


def main():
    opened = open_socket(sys.argv[1])
    seen = {}
    lost = 0
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([opened, 0], [], [])
        drain(opened, seen)
        if 0 not in readable:
            continue
        asked = os.read(0, 4096)
        if asked == b"":
            return
        lost += struct.unpack("II", opened.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]
        packets = [{"protocol": name, "to": to, "port": port, **entry} for (name, to, port), entry in seen.items()]
        for _ in range(asked.count(b"\n")):
            print(json.dumps({"packets": packets, "lost": lost}), flush=True)


main()
