import { API_PORT, HIDDEN_METADATA, inUrl, LOOPBACK, METADATA, OTHER_PUBLIC, PRIVATE, PUBLIC } from "./addresses.ts";
import type { Signalling, Talk } from "./media-server.ts";
import { answerTo, candidate, type CandidateKind, dataPlaceIn, joined, offerWith, signal } from "./signals.ts";
import { METADATA_SHOWN, type Stage } from "./stage.ts";

/** The messages of a media server to a client that joins. */
export type Course = { join?: Record<string, unknown>; candidates?: string[]; next?: (client: Signalling) => void };

/** Lets the client join, agrees on a data channel section with these candidates at the attacker's side, and then calls `next`. */
export const joins =
  ({ join = {}, candidates = [], next }: Course): Talk =>
  (client) => {
    const { offer, send, onOffer } = client;
    if (client.isReconnect) return send(signal({ reconnect: {} }));
    send(joined({ subscriberPrimary: offer === undefined, ...join }));
    if (offer === undefined) send(signal({ offer: offerWith(candidates) }));
    else send(signal({ answer: answerTo(offer, candidates) }));
    onOffer((later) => send(signal({ answer: answerTo(later.sdp, candidates) })));
    next?.(client);
  };

/** All hosts that a candidate or a TURN server can name and that the service must never reach, or not with every setting. */
export const hostsOf = ({ addresses }: Stage): string[] => [
  ...METADATA,
  ...HIDDEN_METADATA,
  ...LOOPBACK,
  addresses.service,
  addresses.service6,
  addresses.gateway,
  ...PRIVATE,
  "fe80::1",
  "224.0.0.251",
  "255.255.255.255",
];

export const namedHostsOf = ({ nameOf }: Stage): string[] => [
  nameOf([METADATA_SHOWN]),
  nameOf([["127.0.0.1"]]),
  nameOf([["10.0.0.5", "fd00:ec2::254"]]),
  nameOf([[PUBLIC], METADATA_SHOWN]),
  "3fbe4ed6-3f0d-4f0a-8b0f-9d9c3c3f3c3f.local",
  "localhost",
  "169.254.169.254.",
  "0xa9fea9fe",
  "2852039166",
  "127.1",
  "metadata.google.internal",
];

/** Returns a candidate for the address of the attacker's own media server. */
export const ownCandidate = ({ port }: Stage): string => candidate("host", PUBLIC, port, 500);

export const candidatesOf = (stage: Stage, kind: CandidateKind, hosts: string[]): string[] => [
  ownCandidate(stage),
  ...hosts.map((host, at) => candidate(kind, host, stage.port, at)),
  candidate(kind, "127.0.0.1", API_PORT, 400),
];

export function trickle(client: Signalling, candidates: readonly string[]): void {
  const place = client.offer === undefined ? { sdpMid: "0", sdpMLineIndex: 0 } : dataPlaceIn(client.offer);
  for (const target of [0, 1])
    for (const one of candidates)
      client.send(signal({ trickle: { candidateInit: JSON.stringify({ candidate: one, ...place }), target } }));
}

export const prepareNames = ({ names }: Stage): void => {
  for (const name of ["3fbe4ed6-3f0d-4f0a-8b0f-9d9c3c3f3c3f.local", "metadata.google.internal"])
    names.set(name, [METADATA_SHOWN]);
};

/** Returns TURN and STUN servers at all these hosts, in all forms of an address. */
export function iceServersOf(stage: Stage): Record<string, unknown>[] {
  const { port } = stage;
  prepareNames(stage);
  const hosts = [...hostsOf(stage), ...namedHostsOf(stage), OTHER_PUBLIC].map(inUrl);
  const credentials = { username: stage.word, credential: stage.word };
  const urls = [
    (host: string) => `stun:${host}:${port}`,
    (host: string) => `turn:${host}:${port}?transport=udp`,
    (host: string) => `turn:${host}:${port}?transport=tcp`,
    (host: string) => `turns:${host}:${port}?transport=tcp`,
  ];
  return urls.flatMap((urlOf) => hosts.map((host) => ({ urls: [urlOf(host)], ...credentials })));
}

/** Splits a list into parts of this size, because a client that gets many servers uses none of them. */
export const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
