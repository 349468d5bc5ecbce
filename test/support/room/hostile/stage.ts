import { PUBLIC, type WorldAddresses } from "./addresses.ts";
import type { Names, Plan } from "./dns.ts";
import type { Answer, Place, Script } from "./media-server.ts";
import type { RealRooms } from "./real-rooms.ts";

/** All that an attack can use. */
export type Stage = {
  /** The port of the attack, for its media server and its targets. */
  port: number;
  addresses: WorldAddresses;
  /** The word in all answers of the attacker, which the service must not show. */
  word: string;
  names: Names;
  /** Returns a new name. The DNS server answers its look-ups by this plan. */
  nameOf: (plan: Plan) => string;
  isLong: boolean;
  /** Returns some of the cases, drawn by the seed; all in the long form. */
  draw: <T>(cases: readonly T[], count: number) => T[];
  /** Rooms of a real media server; undefined without its program. */
  rooms: RealRooms | undefined;
};

/** One try of a connection to the attacker's media server. */
export type Try = {
  about: string;
  script: Script;
  /** The name of the media server; by default its address. */
  host?: string;
  /** Whether the connection gets its token from an endpoint at the same server. */
  byEndpoint?: boolean;
};

export type Attack = {
  /** The title in the report: the guarantee that the attack tests. */
  title: string;
  tries: (stage: Stage) => Try[];
  /** Whether the attack may reach only the media server, although the settings allow other public and private addresses. */
  reachesOnlyMediaServer?: true;
  /** Further ports whose packets count as packets of this attack. */
  tcpPorts?: number[];
  /** What proves that the attack took place: requests at these endpoints, or a datagram at the attacker's candidate. */
  proof: (Place | "media")[];
  /** Leaves out runs, which would wait longer than tries. */
  onlyTries?: true;
  /** Plays after all other attacks, because it may end the process that carries the calls. The long form plays its tries one by one. */
  isAlone?: true;
  /** Whether the specs check that the attack costs the service little memory. */
  costsLittle?: true;
  needsRooms?: true;
};

/**
 * Returns a mark for each path to which the attack at this port leads. A request with this mark shows that the service followed a
 * redirect.
 */
export const followed = (port: number): string => `followed-${port}`;

/** The answer to an upgrade after which a client sends a request to learn the reason. */
export const refusedUpgrade = (word: string): Answer => ({ status: 403, body: `${word} of the upgrade` });

export const METADATA_SHOWN = ["169.254.169.254"];
export const HERE = [PUBLIC];
