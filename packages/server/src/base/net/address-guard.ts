import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** `metadata`: a cloud's metadata service, from which a machine reads its secrets. `private`: not on the public internet. */
export type AddressKind = "public" | "private" | "metadata";

/** Metadata services of clouds: all link-local addresses, and further addresses of single clouds. */
const metadata = new BlockList();
metadata.addSubnet("169.254.0.0", 16, "ipv4");
metadata.addSubnet("fe80::", 10, "ipv6");
for (const address of ["100.100.100.200", "168.63.129.16", "192.0.0.192"]) metadata.addAddress(address, "ipv4");
for (const address of ["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"]) metadata.addAddress(address, "ipv6");

/** Addresses that IANA's registries of special-purpose addresses do not list as globally reachable, and multicast addresses. */
const notPublic = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  notPublic.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
] as const)
  notPublic.addSubnet(network, bits, "ipv6");
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

type Embedding = { prefix: BlockList; bytes: readonly number[]; inverted?: boolean; isDecisive?: boolean };

const embedding = (
  network: string,
  bits: number,
  bytes: readonly number[],
  more: Partial<Embedding> = {},
): Embedding => {
  const prefix = new BlockList();
  prefix.addSubnet(network, bits, "ipv6");
  return { prefix, bytes, ...more };
};
const LAST = [12, 13, 14, 15];

/**
 * IPv6 prefixes whose addresses contain an IPv4 address, with the positions of its bytes: mapped and compatible (RFC 4291), NAT64 (RFC
 * 6052, and RFC 8215 with every prefix length), 6to4 (RFC 3056) and Teredo (RFC 4380). With `isDecisive`, the IPv6 address is public when
 * the IPv4 address is public.
 */
const EMBEDDINGS: readonly Embedding[] = [
  embedding("::ffff:0:0", 96, LAST, { isDecisive: true }),
  embedding("::", 96, LAST, { isDecisive: true }),
  embedding("64:ff9b::", 96, LAST, { isDecisive: true }),
  embedding("64:ff9b:1::", 48, LAST),
  embedding("64:ff9b:1::", 48, [6, 7, 9, 10]),
  embedding("64:ff9b:1::", 48, [7, 9, 10, 11]),
  embedding("64:ff9b:1::", 48, [9, 10, 11, 12]),
  embedding("2002::", 16, [2, 3, 4, 5], { isDecisive: true }),
  embedding("2001::", 32, LAST, { inverted: true }),
];

/** Returns the kind of an address. An IPv4 address inside an IPv6 address is checked too. The addresses of this machine are private. */
export function kindOfAddress(address: string): AddressKind {
  if (isIP(address) === 4) return kindOfIpv4(address);
  const bytes = ipv6Bytes(address);
  const plain = textOf(bytes);
  const found = EMBEDDINGS.filter(({ prefix }) => prefix.check(plain, "ipv6"));
  const kinds = found.map(({ bytes: places, inverted = false }) => kindOfIpv4(ipv4At(bytes, places, inverted)));
  // ISATAP (RFC 5214) puts an IPv4 address behind any prefix.
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe)
    kinds.push(kindOfIpv4(ipv4At(bytes, LAST, false)));
  if (metadata.check(plain, "ipv6") || kinds.includes("metadata")) return "metadata";
  if (kinds.includes("private") || isOwn(plain)) return "private";
  if (found.some(({ isDecisive }) => isDecisive)) return "public";
  return globalUnicast.check(plain, "ipv6") && !notPublic.check(plain, "ipv6") ? "public" : "private";
}

function kindOfIpv4(address: string): AddressKind {
  if (metadata.check(address, "ipv4")) return "metadata";
  return notPublic.check(address, "ipv4") || isOwn(address) ? "private" : "public";
}

/**
 * Returns whether an address belongs to this machine. Such an address counts as private, because no firewall protects the machine's
 * services from requests of the machine itself.
 */
const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((list) =>
    list?.some((own) => (own.family === "IPv4" ? own.address : textOf(ipv6Bytes(own.address))) === address),
  );

const ipv4At = (bytes: readonly number[], places: readonly number[], inverted: boolean): string =>
  places.map((place) => (inverted ? 255 - bytes[place]! : bytes[place]!)).join(".");

/** Returns the 16 bytes of an IPv6 address; ignores its zone. */
export function ipv6Bytes(address: string): number[] {
  const normal = new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname.slice(1, -1);
  const [before, after] = normal.split("::").map((half) => half.split(":").filter((group) => group !== "")) as [
    string[],
    string[] | undefined,
  ];
  const zeros = Array<string>(8 - before.length - (after?.length ?? 0)).fill("0");
  return [...before, ...zeros, ...(after ?? [])].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

const textOf = (bytes: readonly number[]): string =>
  Array.from({ length: 8 }, (_, group) => ((bytes[2 * group]! << 8) | bytes[2 * group + 1]!).toString(16)).join(":");
