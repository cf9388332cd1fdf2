"""Runs a command in a network in which every address is this machine, and tells of foreign packets.

`unshare -n sh -c "$SETUP; python -m tests.packet_listener COMMAND …"`: the last line of output is JSON of the
exit code and all packets that went to anything but 127.0.0.0/8 or ::1, as [address, protocol, port].
"""

import json
import socket
import subprocess
import sys
import threading

SETUP = "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo"
_ANY, _IPV4, _IPV6 = 3, b"\x08\x00", b"\x86\xdd"


def _foreign(frame: bytes) -> tuple[str, int, int] | None:
    kind = frame[12:14]
    if kind == _IPV4:
        to, port = socket.inet_ntoa(frame[30:34]), 14 + (frame[14] & 15) * 4 + 2
        return None if to.startswith("127.") else (to, frame[23], int.from_bytes(frame[port : port + 2]))
    if kind == _IPV6:
        to = socket.inet_ntop(socket.AF_INET6, frame[38:54])
        return None if to == "::1" else (to, frame[20], int.from_bytes(frame[56:58]))
    return (kind.hex(), 0, 0)


def main() -> None:
    """Listen while the command runs."""
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ANY))
    listener.settimeout(0.5)
    found: set[tuple[str, int, int]] = set()
    ended = threading.Event()

    def listen() -> None:
        while True:
            try:
                frame = listener.recv(1 << 16)
            except TimeoutError:
                if ended.is_set():
                    return
                continue
            if (foreign := _foreign(frame)) is not None:
                found.add(foreign)

    thread = threading.Thread(target=listen)
    thread.start()
    code = subprocess.run(sys.argv[1:], check=False).returncode  # the test's own command
    ended.set()
    thread.join()
    sys.stdout.write(f"{json.dumps([code, sorted(found)])}\n")


if __name__ == "__main__":
    main()
