import { PUBLIC, type WorldAddresses } from "./addresses.ts";
import type { Names, Plan } from "./dns.ts";
import type { Answer, Place, Script } from "./media-server.ts";
import type { RealRooms } from "./real-rooms.ts";

/** All that an attack can use. */
export type Stage = {
  /** The port of the attack: its media server listens there, and its targets too. */
  port: number;
  addresses: WorldAddresses;
  /** The word in all answers, which the service must not show. */
  word: string;
  names: Names;
  /** Returns a new name whose look-ups have these answers. */
  nameOf: (plan: Plan) => string;
  isLong: boolean;
  /** Returns some of the cases, drawn by the seed; all in the long form. */
  draw: <T>(cases: readonly T[], count: number) => T[];
  /** Rooms that exist; undefined without the program of a media server. */
  rooms: RealRooms | undefined;
};

/** A try of one connection to the attacker's media server. */
export type Try = {
  about: string;
  script: Script;
  /** The name of the media server; by default its address. */
  host?: string;
  /** Connects by a token endpoint, at the same server. */
  byEndpoint?: boolean;
};

export type Attack = {
  /** Names the attack in the report; the guarantee that it tests. */
  title: string;
  tries: (stage: Stage) => Try[];
  /** Whether even public and private addresses that the configuration allows must not be reached, except the media server's. */
  reachesOnlyMediaServer?: true;
  /** Ports, besides that of the attack, whose packets are this attack's. */
  tcpPorts?: number[];
  /** Proof that the attack took place: requests at these places, or a datagram at the attacker's candidate. */
  proof: (Place | "media")[];
  /** Plays no try as a run, which would wait longer. */
  onlyTries?: true;
  /** Plays after all others, and in the long form its tries one by one, because it may end the process that carries the calls. */
  isAlone?: true;
  /** Whether it must not take more than little memory. */
  costsLittle?: true;
  needsRooms?: true;
};

/** Returns a part of each path to which the attack at this port leads: the battery sees by it that the service followed. */
export const followed = (port: number): string => `followed-${port}`;

/** The answer to an upgrade after which a client asks why it was refused. */
export const refusedUpgrade = (word: string): Answer => ({ status: 403, body: `${word} of the upgrade` });

export const METADATA_SHOWN = ["169.254.169.254"];
export const HERE = [PUBLIC];
