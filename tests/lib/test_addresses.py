"""Which addresses may be called."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.outbound.addresses import is_local, is_public

CLOSED = [
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::ffff:93.184.216.34",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "2001:0:0:0:0:0:5601:5601",
    "::127.0.0.1",
    "fd00:ec2::254",
    "fec0::1",
    "fe80::1%eth0",
    "::",
    "::1",
    "ff02::1",
    "2001:db8::1",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "0.0.0.0",
    "198.18.0.1",
    "240.0.0.1",
    "10.0.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "127.0.0.1",
    "169.254.169.254",
    "192.0.2.1",
]
OPEN = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822", "172.32.0.1", "100.128.0.1"]


@pytest.mark.requirement("C032")
@pytest.mark.parametrize("text", CLOSED)
def test_an_address_that_is_not_of_the_public_internet_is_closed(text: str) -> None:
    assert is_public(ip_address(text)) is False


@pytest.mark.requirement("C032")
@pytest.mark.parametrize("text", OPEN)
def test_a_public_address_is_open(text: str) -> None:
    assert is_public(ip_address(text)) is True


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_that_python_calls_private_is_never_public(ip: IPv4Address) -> None:
    if ip.is_private or ip.is_multicast or ip.is_reserved or not ip.is_global:
        assert is_public(ip) is False


@given(st.ip_addresses(v=6))
def test_an_ipv6_address_that_python_calls_private_is_never_public(ip: IPv6Address) -> None:
    if ip.is_private or ip.is_multicast or ip.is_link_local or ip.is_site_local:
        assert is_public(ip) is False


@given(st.ip_addresses(v=4))
def test_a_translated_address_is_as_public_as_what_it_carries(ip: IPv4Address) -> None:
    translated = IPv6Address(int(IPv6Address("64:ff9b::")) | int(ip))

    assert is_public(translated) is is_public(ip)


@given(st.ip_addresses(v=4))
def test_every_other_form_that_carries_an_ipv4_address_is_closed(ip: IPv4Address) -> None:
    number = int(ip)
    forms = [
        number,
        int(IPv6Address("::ffff:0:0")) | number,
        int(IPv6Address("64:ff9b:1::")) | number,
        int(IPv6Address("2002::")) | number << 80,
        int(IPv6Address("2001::")) | (~number & 0xFFFFFFFF),
    ]

    assert not any(is_public(IPv6Address(form)) for form in forms)


@given(st.ip_addresses())
def test_local_and_public_exclude_each_other(ip: IPv4Address | IPv6Address) -> None:
    assert not (is_local(ip) and is_public(ip))


@pytest.mark.parametrize("text", ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.9", "172.16.0.1", "fd12::1"])
def test_a_machine_nearby_is_local(text: str) -> None:
    assert is_local(ip_address(text)) is True


@pytest.mark.parametrize(
    "text", ["169.254.169.254", "fd00:ec2::254", "fe80::1", "100.100.100.200", "::ffff:127.0.0.1", "::"]
)
def test_metadata_and_disguised_addresses_are_not_local(text: str) -> None:
    assert is_local(ip_address(text)) is False
