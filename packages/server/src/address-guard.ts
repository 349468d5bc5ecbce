import { BlockList, isIP } from "node:net";

/** Metadata services of clouds, which hand out a machine's secrets: link-local addresses and some clouds' own ones. */
const forbidden = new BlockList();
forbidden.addSubnet("169.254.0.0", 16, "ipv4");
forbidden.addSubnet("fe80::", 10, "ipv6");
for (const address of ["100.100.100.200", "168.63.129.16", "192.0.0.192"]) forbidden.addAddress(address, "ipv4");
for (const address of ["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"]) forbidden.addAddress(address, "ipv6");

/**
 * Prefixes of IPv6 addresses that lead to an IPv4 address, with the index of the 16-bit group in which the IPv4 address
 * begins: mapped and compatible (RFC 4291), NAT64 (RFC 6052, RFC 8215) and 6to4 (RFC 3056).
 */
const EMBEDDING: readonly [prefix: string, bits: number, group: number][] = [
  ["::ffff:0:0", 96, 6],
  ["::", 96, 6],
  ["64:ff9b::", 96, 6],
  ["64:ff9b:1::", 48, 6],
  ["2002::", 16, 1],
];
const embedding = EMBEDDING.map(([prefix, bits, group]) => {
  const list = new BlockList();
  list.addSubnet(prefix, bits, "ipv6");
  return { list, group };
});

/** Returns whether the service must not call the IP address, directly or through an IPv6 address that contains it. */
export function isForbidden(address: string): boolean {
  if (isIP(address) === 4) return forbidden.check(address, "ipv4");
  if (forbidden.check(address, "ipv6")) return true;
  return embedding.some(
    ({ list, group }) => list.check(address, "ipv6") && forbidden.check(ipv4At(address, group), "ipv4"),
  );
}

function ipv4At(address: string, group: number): string {
  const [high, low] = groupsOf(address).slice(group, group + 2) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Returns the eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const normal = new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname.slice(1, -1);
  const [before, after] = normal.split("::").map((half) => half.split(":").filter((group) => group !== "")) as [
    string[],
    string[] | undefined,
  ];
  const zeros = Array<string>(8 - before.length - (after?.length ?? 0)).fill("0");
  return [...before, ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16));
}
