"""Where a webhook may go. Resolve, check every address against our own table, connect to the address that was checked.

The standard library's `is_global` is no judge: it takes the NAT64 and 6to4 forms of 127.0.0.1 for public addresses.
A host name is only looked up here, so that what is checked is what is connected to, whatever DNS answers next.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from concurrent.futures import Executor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

Address = IPv4Address | IPv6Address
Range = IPv4Network | IPv6Network

_NEVER = {  # no setting opens these: they lead to the machine's own cloud credentials, or to nobody in particular
    "0.0.0.0/8": "this network",
    "169.254.0.0/16": "link-local, where clouds keep credentials",
    "100.100.100.200/32": "a cloud's metadata address",
    "192.0.0.192/32": "a cloud's metadata address",
    "fd00:ec2::254/128": "a cloud's metadata address",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "::/128": "unspecified",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_UNLESS_ALLOWED = {
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a carrier",
    "127.0.0.0/8": "loopback",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "6to4 relays",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "::1/128": "loopback",
    "::/96": "an IPv4 address in disguise",
    "::ffff:0:0:0/96": "an IPv4 address in disguise",
    "64:ff9b::/96": "NAT64",
    "64:ff9b:1::/48": "NAT64",
    "100::/64": "discard",
    "2001::/23": "protocol assignments",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "private",
}
NEVER = tuple((ipaddress.ip_network(text), why) for text, why in _NEVER.items())
UNLESS_ALLOWED = tuple((ipaddress.ip_network(text), why) for text, why in _UNLESS_ALLOWED.items())
NEVER_NAMES = frozenset({"metadata.google.internal", "metadata.goog"})

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOW_IPV4 = (ipaddress.ip_network("::/96"), ipaddress.ip_network("::ffff:0:0:0/96"), _NAT64)


class Blocked(OSError):
    """We may not connect there. The reason is for the owner of the notification to read."""


class Guard:
    def __init__(self, allowed: Sequence[Range] = ()) -> None:
        self._allowed = tuple(allowed)

    def check_name(self, host: str) -> None:
        if host.rstrip(".").lower() in NEVER_NAMES:
            raise Blocked(f"blocked host {host}: a cloud's metadata name")

    def check(self, address: Address) -> None:
        """Raises `Blocked` unless a webhook may go to this very address."""
        plain = _unwrapped(address)
        for disguise in (plain, *_embedded(plain)):
            for network, why in NEVER:
                if disguise in network:
                    raise Blocked(f"blocked address {address}: {why}")
        if any(plain in network for network in self._allowed):
            return
        for network, why in UNLESS_ALLOWED:
            if plain in network:
                raise Blocked(f"blocked address {address}: {why}; WEBHOOK_ALLOWED_CIDRS can allow it")

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """The last gate, at the very connect: also for hosts that are written as an address and never looked up."""
        family, kind, protocol, _, place = info
        self.check(ipaddress.ip_address(place[0].partition("%")[0]))
        return socket.socket(family, kind, protocol)


class GuardedResolver(AbstractResolver):
    """Looks a host up; one forbidden address among its answers forbids the host."""

    def __init__(self, guard: Guard, threads: Executor) -> None:
        self._guard = guard
        self._threads = threads  # its own: a name server that hangs must not hold up anything else

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self._guard.check_name(host)
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, look_up, host, port, family)
        results: list[ResolveResult] = []
        for kind, _, protocol, _, place in found:
            self._guard.check(ipaddress.ip_address(str(place[0]).partition("%")[0]))
            results.append(
                ResolveResult(
                    hostname=host,
                    host=str(place[0]),
                    port=port,
                    family=kind,
                    proto=protocol,
                    flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
                )
            )
        return results

    async def close(self) -> None:
        pass


def look_up(host: str, port: int, family: int) -> list[tuple[Any, ...]]:
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family))


def _unwrapped(address: Address) -> Address:
    """::ffff:127.0.0.1 is 127.0.0.1: the kernel makes no difference."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _embedded(address: Address) -> list[Address]:
    """The IPv4 addresses that a translator on the way may turn this one into."""
    if not isinstance(address, IPv6Address):
        return []
    found: list[Address] = []
    if address.sixtofour is not None:
        found.append(address.sixtofour)
    if address.teredo is not None:
        found.extend(address.teredo)
    if int(address) > 1 and any(address in network for network in _LOW_IPV4):  # ::1 is loopback, not 0.0.0.1
        found.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return found
