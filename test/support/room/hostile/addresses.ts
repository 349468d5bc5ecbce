import { isIPv6 } from "node:net";

/** The media server of an attacker, and another public host of theirs. */
export const PUBLIC = "93.184.216.34";
export const OTHER_PUBLIC = "93.184.216.35";

/** The port of the service under attack. */
export const API_PORT = 3100;
/** The service's own sockets get ports from here on; a packet to a lower port of the loopback interface has another target. */
export const FIRST_OWN_PORT = 40_000;
export const LAST_OWN_PORT = 59_999;
/** Each attack of a world has one port, for its media server and for all that it names. */
export const ATTACK_PORTS = 100;

/** The addresses of a world: its service, and the gateway that is its only way out. */
export type WorldAddresses = {
  service: string;
  gateway: string;
  service6: string;
  gateway6: string;
  /** The port of its first attack. */
  firstPort: number;
};

export const addressesOf = (world: number): WorldAddresses => ({
  service: `172.30.${world}.2`,
  gateway: `172.30.${world}.1`,
  service6: `fd5a:${world + 1}::2`,
  gateway6: `fd5a:${world + 1}::1`,
  firstPort: 7_000 + world * ATTACK_PORTS,
});

export const METADATA = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"];
/** Metadata services inside addresses of IPv6, by NAT64 and by 6to4. */
export const HIDDEN_METADATA = ["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::ffff:169.254.169.254"];
export const LOOPBACK = ["127.0.0.1", "127.1.2.3", "::1", "0.0.0.0"];
export const PRIVATE = ["10.0.0.5", "192.168.1.5", "172.16.0.9", "100.64.0.7", "fc00::5"];

/** Returns the address as a part of a URL. */
export const inUrl = (address: string): string => (isIPv6(address) ? `[${address}]` : address);

/** The kinds of targets, by rules of the battery's own. */
export type TargetKind = "metadata" | "private" | "public";

export function kindOf(address: string): TargetKind {
  const plain = address.replace(/^::ffff:/, "");
  if (METADATA.includes(plain) || HIDDEN_METADATA.includes(address) || /^(169\.254\.|fe[89ab])/.test(plain))
    return "metadata";
  if (isIPv6(plain)) return /^[23]/.test(plain) || plain.startsWith("64:ff9b::") ? "public" : "private";
  return /^(0|10|127|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[345]\d)\./.test(
    plain,
  )
    ? "private"
    : "public";
}
