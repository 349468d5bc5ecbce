import { isIPv6 } from "node:net";

/**
 * Returns the network of a client's address, because rate limits count per network. The network is the whole address for IPv4, and the
 * first 64 bits for IPv6. One household or server has all addresses of an IPv6 network.
 */
export function blockOf(address: string): string {
  const [bare = ""] = address.split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped) return mapped[1]!;
  if (!isIPv6(bare)) return address;
  const [head = "", tail] = bare.split("::");
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => 0), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** Returns the groups of an IPv6 address. A dotted IPv4 part counts as two groups. */
const groupsOf = (text: string): number[] =>
  text === ""
    ? []
    : text.split(":").flatMap((group) => {
        if (!group.includes(".")) return [Number.parseInt(group, 16)];
        const [a, b, c, d] = group.split(".").map(Number) as [number, number, number, number];
        return [a * 256 + b, c * 256 + d];
      });
