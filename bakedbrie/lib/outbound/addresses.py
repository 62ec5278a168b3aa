"""Which IP addresses may be called: public ones only.

Python's ``is_private`` and ``is_global`` miss cloud addresses and IPv4 addresses inside IPv6 ones, so the ranges
stand here. Every IPv6 form that carries an IPv4 address is closed whatever it carries: mapped, compatible, 6to4,
Teredo, local NAT64. The one exception is 64:ff9b::/96, which is how a machine without IPv4 sees the public internet:
it counts as the IPv4 address inside it.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

IPAddress = IPv4Address | IPv6Address

_CLOSED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by providers; 100.100.100.200 is a cloud's metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's host agent
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_OPEN_V6 = IPv6Network("2000::/3")  # all that was given out for global use; the rest is closed
_CLOSED_V6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_V4 = tuple(IPv4Network(text) for text in ("10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_LOCAL_V6 = (IPv6Network("fc00::/7"), IPv6Network("::1/128"))
_METADATA_V6 = IPv6Network("fd00:ec2::/32")


def is_public(ip: IPAddress) -> bool:
    """Tell whether this is an address of the public internet, and of nothing else."""
    if isinstance(ip, IPv6Address) and ip in _NAT64:
        ip = IPv4Address(int(ip) & 0xFFFFFFFF)
    if isinstance(ip, IPv4Address):
        return not any(ip in network for network in _CLOSED_V4)
    return ip in _OPEN_V6 and not any(ip in network for network in _CLOSED_V6)


def is_local(ip: IPAddress) -> bool:
    """Tell whether this is loopback or a private network, where an operator's own model may listen.

    Never link-local, shared, metadata or translated addresses.
    """
    if isinstance(ip, IPv4Address):
        return any(ip in network for network in _LOCAL_V4)
    return any(ip in network for network in _LOCAL_V6) and ip not in _METADATA_V6
