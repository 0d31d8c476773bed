"""Ways to write an address that a webhook must not reach. `{port}` is where the judge listens."""

import ipaddress

LOOPBACK_HOSTS = [
    "127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "127.255.255.254", "127.000.000.001", "127.0.0.01", "127.00.0.1",
    "0177.0.0.1", "0177.0.0.01", "0177.0.1", "0177.1", "017700000001", "00000177.0.0.1", "0x7f.0.0.1", "0x7F.0.0.1",
    "0x7f.0x0.0x0.0x1", "0x7f.1", "0x7f.0.1", "0x7f000001", "0X7F000001", "0x7f.0x000001", "0x0000007f.0.0.1",
    "2130706433", "2130706434", "127.0x1", "127.0.0x0.1", "0x7f.0.0.01", "127.65793", "127.0.257", "0177.0x0.0.1",
    "127.0.0.1.", "127.1.", "0x7f000001.", "2130706433.",
    "0", "0.0.0.0", "00.00.00.00", "0x0", "0x00000000", "0.0", "0.0.0", "000000000000", "0.0.0.0.",
    "localhost", "LOCALHOST", "LocalHost", "localhost.", "ip6-localhost", "ip6-loopback",
    "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460", "\uff11\uff12\uff17.\uff10.\uff10.\uff11", "127\uff0e0\uff0e0\uff0e1",
    "127\u30020\u30020\u30021", "127\uff610\uff610\uff611", "\uff11\uff12\uff17.1", "\uff10\uff58\uff17\uff46.1",
    "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54", "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
    "loc\u00adalhost", "\U0001d7cf\U0001d7d0\U0001d7d5.0.0.1", "127.0.0.\u00b9", "1\u00b27.0.0.1",
    "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[0::1]", "[::0:1]",
    "[::0.0.0.1]", "[0:0:0:0:0:0:0.0.0.1]", "[::]", "[0::0]", "[0:0:0:0:0:0:0:0]", "[::0.0.0.0]", "[::1%25lo]", "[::1%lo]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:127.0.0.1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:7f00:0001]",
    "[::ffff:127.255.255.255]", "[::ffff:0.0.0.0]", "[::ffff:0:0]", "[0000::ffff:7f00:1]", "[::ffff:127.0.0.53]",
    "[::127.0.0.1]", "[::7f00:1]", "[0:0:0:0:0:0:127.0.0.1]", "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[64:ff9b:1:ffff::1]",
    "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2002:7f00:1:0:0:0:0:1]", "[2002:a9fe:a9fe::]", "[2002:c0a8:101::1]",
    "[2001:0:7f00:1::]", "[2001:0000:4136:e378:8000:63bf:80ff:fffe]", "[2001::1]",
]  # fmt: skip

RANGES = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
    "240.0.0.0/4", "255.255.255.255/32", "::/128", "::1/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
    "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip

METADATA = [
    "169.254.169.254", "169.254.169.253", "169.254.170.2", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
    "0xa9.0xfe.0xa9.0xfe", "169.254.43518", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::169.254.169.254]",
    "[fd00:ec2::254]", "[fd00:0ec2:0:0:0:0:0:254]", "100.100.100.200", "192.0.0.192", "metadata.google.internal",
    "metadata.google.internal.", "METADATA.google.internal", "metadata.goog", "[fe80::a9fe:a9fe%25lo]",
]  # fmt: skip

FORMS = [
    "http://user:secret@127.0.0.1:{port}/", "http://example.com@127.0.0.1:{port}/", "http://example.com%40127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.com/", "http://127.0.0.1:{port}?@example.com/", "http://127.0.0.1:{port}/\\@example.com",
    "http:\\\\127.0.0.1:{port}\\", "http:/127.0.0.1:{port}/", "http:127.0.0.1:{port}", "http:///127.0.0.1:{port}/",
    "http://127.0.0.1%2e:{port}/", "http://%31%32%37.0.0.1:{port}/", "http://127%2e0%2e0%2e1:{port}/",
    "http://[::1]:{port}@127.0.0.1:{port}/", "https://127.0.0.1:{port}/", "https://localhost:{port}/", "https://[::1]:{port}/",
    "HTTP://127.0.0.1:{port}/", "hTTp://LOCALHOST:{port}/", "http://127.0.0.1:0{port}/", "http://127.0.0.1:{port}/../../",
    "http://[::ffff:7f00:1%25lo]:{port}/", "http://[::1]:{port}/?x=http://example.com", "http://localhost:{port}/%0d%0aHost:x",
    "file:///etc/passwd", "gopher://127.0.0.1:{port}/_x", "ftp://127.0.0.1:{port}/", "ws://127.0.0.1:{port}/",
    "unix:///tmp/socket", "http+unix://%2Ftmp%2Fsocket/", "//127.0.0.1:{port}/", "data:text/plain,x", "dict://127.0.0.1:{port}/x",
]  # fmt: skip


def forbidden_urls() -> list[str]:
    """Every form once, `{port}` still to be filled in."""
    hosts = [*LOOPBACK_HOSTS, *METADATA]
    for text in RANGES:
        network = ipaddress.ip_network(text)
        for address in {network[0], network[-1], network[network.num_addresses // 2]}:
            hosts.append(f"[{address}]" if address.version == 6 else str(address))
            if address.version == 4:
                hosts.append(f"[::ffff:{address}]")
    return list(dict.fromkeys([*(f"http://{host}:{{port}}/" for host in hosts), *FORMS]))
