import { isIPv6 } from "node:net";

/**
 * Returns the network of an address, which limits count in place of the address: the whole address for IPv4, the first 64 bits for IPv6.
 * One household or server has all addresses of such an IPv6 block.
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

/** A dotted IPv4 part counts as two groups. */
const groupsOf = (text: string): number[] =>
  text === ""
    ? []
    : text.split(":").flatMap((group) => {
        if (!group.includes(".")) return [Number.parseInt(group, 16)];
        const [a, b, c, d] = group.split(".").map(Number) as [number, number, number, number];
        return [a * 256 + b, c * 256 + d];
      });
