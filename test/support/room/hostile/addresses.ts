import { isIPv6 } from "node:net";

/** The address of the attacker's media server, and another public address of the attacker. */
export const PUBLIC = "93.184.216.34";
export const OTHER_PUBLIC = "93.184.216.35";

/** The port of the service under attack. */
export const API_PORT = 3100;
/**
 * The service's own sockets get ports from here on. A packet to a lower port of the loopback interface does not go to the service
 * itself.
 */
export const FIRST_OWN_PORT = 40_000;
export const LAST_OWN_PORT = 59_999;
/** The number of ports for the attacks of a world. Each attack has one port, for its media server and for every address that it names. */
export const ATTACK_PORTS = 100;

/** The addresses of a world: a service in its own network namespace, and the gateway that is its only way out. */
export type WorldAddresses = {
  service: string;
  gateway: string;
  service6: string;
  gateway6: string;
  /** The port of the first attack in this world. */
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
/** Addresses of a metadata service inside IPv6 addresses, by NAT64 and by 6to4, and IPv4-mapped. */
export const HIDDEN_METADATA = ["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::ffff:169.254.169.254"];
export const LOOPBACK = ["127.0.0.1", "127.1.2.3", "::1", "0.0.0.0"];
export const PRIVATE = ["10.0.0.5", "192.168.1.5", "172.16.0.9", "100.64.0.7", "fc00::5"];

/** Returns the address in the form that a URL needs. */
export const inUrl = (address: string): string => (isIPv6(address) ? `[${address}]` : address);

/** The kinds of addresses. These specs decide the kind by their own rules, independently of the service. */
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
