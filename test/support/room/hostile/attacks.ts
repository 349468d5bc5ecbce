import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import {
  API_PORT,
  HIDDEN_METADATA,
  inUrl,
  LOOPBACK,
  METADATA,
  OTHER_PUBLIC,
  PRIVATE,
  PUBLIC,
  type WorldAddresses,
} from "./addresses.ts";
import type { Names, Plan } from "./dns.ts";
import {
  acceptanceOf,
  ADDED_HEADER,
  type Answer,
  type Place,
  type Script,
  type Signalling,
  type Talk,
  write,
} from "./media-server.ts";
import type { RealRooms } from "./real-rooms.ts";
import {
  answerTo,
  CANDIDATE_KINDS,
  candidate,
  type CandidateKind,
  dataPlaceIn,
  joined,
  offerWith,
  signal,
} from "./signals.ts";

/** All that an attack can use. */
export type Stage = {
  /** The port of the attack: its media server listens there, and its targets too. */
  port: number;
  addresses: WorldAddresses;
  /** A word that nobody may show. */
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

// Redirects.

const REDIRECTS = [301, 302, 303, 307, 308];
/** Returns a part of each path to which the attack at this port leads: the battery sees by it that the service followed. */
export const followed = (port: number): string => `followed-${port}`;

const locationsOf = ({ port, addresses, nameOf }: Stage): string[] => [
  `http://169.254.169.254/${followed(port)}/latest/meta-data/iam`,
  `https://169.254.169.254/${followed(port)}`,
  `//169.254.169.254:${port}/${followed(port)}`,
  `/${followed(port)}`,
  ...[...METADATA, ...HIDDEN_METADATA, ...LOOPBACK, ...PRIVATE, OTHER_PUBLIC, addresses.service].map(
    (address) => `http://${inUrl(address)}:${port}/${followed(port)}`,
  ),
  `https://10.0.0.5:${port}/${followed(port)}`,
  `http://${addresses.service}:${API_PORT}/${followed(port)}`,
  `http://127.0.0.1:${API_PORT}/${followed(port)}`,
  `http://${nameOf([["169.254.169.254"]])}:${port}/${followed(port)}`,
  `http://${nameOf([["127.0.0.1"]])}:${port}/${followed(port)}`,
];

/** Returns redirects to all places; the long form has each with every status. */
function redirectsOf(stage: Stage): { status: number; location: string }[] {
  const locations = locationsOf(stage);
  if (!stage.isLong) return locations.map((location, at) => ({ status: REDIRECTS[at % REDIRECTS.length]!, location }));
  return locations.flatMap((location) => REDIRECTS.map((status) => ({ status, location })));
}

const redirect = ({ status, location }: { status: number; location: string }, word: string): Answer => ({
  status,
  headers: { location },
  body: `${word} of the redirect`,
});

const refusedUpgrade = (word: string): Answer => ({ status: 403, body: `${word} of the upgrade` });

const redirects: Attack[] = [
  {
    title: "no redirect of a validation is followed",
    reachesOnlyMediaServer: true,
    tcpPorts: [80, 443],
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) =>
      redirectsOf(stage).map((one, at) => ({
        about: `${one.status} to ${one.location}`,
        script: {
          isOld: at % 3 === 2,
          answers: { upgrade: refusedUpgrade(stage.word), validate: redirect(one, stage.word) },
        },
      })),
  },
  {
    title: "no redirect is followed behind a token endpoint, of a validation or of the endpoint",
    reachesOnlyMediaServer: true,
    proof: ["token", "validate", "upgrade"],
    tries: (stage) =>
      stage.draw(redirectsOf(stage), 4).flatMap((one): Try[] => {
        const moved = redirect(one, stage.word);
        const later = (request: number) => (request === 0 ? { json: {} } : moved);
        const upgrade = refusedUpgrade(stage.word);
        return [
          {
            about: `a later validation: ${one.location}`,
            byEndpoint: true,
            script: { answers: { upgrade, validate: later } },
          },
          {
            about: `the first validation: ${one.location}`,
            byEndpoint: true,
            script: { answers: { validate: moved } },
          },
          { about: `the endpoint: ${one.location}`, byEndpoint: true, script: { answers: { token: moved } } },
        ];
      }),
  },
  {
    title: "no redirect of an upgrade or of a request for a room is followed",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) =>
      stage.draw(redirectsOf(stage), 5).flatMap((one): Try[] => {
        const moved = redirect(one, stage.word);
        return [
          { about: `the upgrade: ${one.location}`, script: { answers: { upgrade: moved } } },
          { about: `the room: ${one.location}`, script: { answers: { CreateRoom: moved } } },
        ];
      }),
  },
];

// Names.

const HERE = [PUBLIC];
const METADATA_SHOWN = ["169.254.169.254"];

function plansOf({ isLong }: Stage): Plan[] {
  const turned = [METADATA_SHOWN, ["127.0.0.1"], ["fd00:ec2::254"], ["10.0.0.5"], ["100.100.100.200"], ["::1"]];
  const after = isLong ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 4];
  const once: Plan[] = turned
    .slice(0, isLong ? turned.length : 3)
    .flatMap((to) => after.map((lookUps) => [...Array<string[]>(lookUps).fill(HERE), to]));
  const alternating = (to: string[]): Plan => Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? [PUBLIC] : to));
  return [
    ...once,
    alternating(METADATA_SHOWN),
    alternating(["127.0.0.1"]),
    [[PUBLIC, "169.254.169.254"]],
    [["169.254.169.254", PUBLIC]],
    [[PUBLIC, "127.0.0.1"]],
    [[PUBLIC, "::1", "fd00:ec2::254"]],
    [METADATA_SHOWN],
    [["127.0.0.1"]],
    [["64:ff9b::a9fe:a9fe"]],
  ];
}

const shown = (plan: Plan) =>
  plan
    .slice(0, 6)
    .map((addresses) => addresses.join("+"))
    .join(" then ");

const names: Attack[] = [
  {
    title: "a name that changes its addresses leads to no address that the service does not call",
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) =>
      plansOf(stage).map((plan) => ({
        about: shown(plan),
        host: stage.nameOf(plan),
        script: { answers: { upgrade: refusedUpgrade(stage.word), validate: { status: 503, body: stage.word } } },
      })),
  },
  {
    title: "a name that changes its addresses behind a token endpoint leads to none either",
    proof: ["token", "validate"],
    tries: (stage) =>
      stage.draw(plansOf(stage), 6).map((plan) => ({
        about: shown(plan),
        byEndpoint: true,
        host: stage.nameOf(plan),
        script: {
          answers: {
            upgrade: refusedUpgrade(stage.word),
            validate: (request) => (request === 0 ? { json: {} } : { status: 503, body: stage.word }),
          },
        },
      })),
  },
  {
    title: "no form of a forbidden address is reached as a media server's own",
    proof: [],
    tries: (stage) => {
      const forms = [
        ...[...METADATA, ...HIDDEN_METADATA].map(inUrl),
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "169.254.43518",
        "169.254.169.254.",
        "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
        "[::169.254.169.254]",
        "[fe80::1]",
        "127.1",
        "0",
        "[::]",
        "localhost",
        stage.addresses.service,
        stage.nameOf([METADATA_SHOWN]),
        stage.nameOf([["fd00:ec2::254"], [PUBLIC]]),
      ];
      return stage
        .draw(forms, 8)
        .map((host, at) => ({ about: host, host, byEndpoint: at % 3 === 2, script: { signalling: joins({}) } }));
    },
  },
  {
    title: "a token with line breaks adds nothing to a request",
    reachesOnlyMediaServer: true,
    proof: ["token"],
    tries: (stage) =>
      [
        `a\r\n${ADDED_HEADER}: 1`,
        `a HTTP/1.1\r\n${ADDED_HEADER}: 1\r\n\r\n`,
        `a\n${ADDED_HEADER}: 1`,
        `a&access_token=b#${stage.word}`,
        `${stage.word} with a space`,
        `é${stage.word}`,
        `${"a".repeat(30_000)}${stage.word}`,
        `../../${followed(stage.port)}`,
      ].map((token) => ({
        about: JSON.stringify(token).slice(0, 40),
        byEndpoint: true,
        script: { answers: { token: { json: { token } } }, signalling: joins({}) },
      })),
  },
  {
    title: "the regions of a cloud's name lead nowhere",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) => {
      const regions = [
        `ws://169.254.169.254:${stage.port}/`,
        `ws://127.0.0.1:${stage.port}/`,
        `ws://${OTHER_PUBLIC}:${stage.port}/`,
      ];
      const other: Answer = {
        json: {
          regions: regions.map((url, at) => ({
            region: `r${at}`,
            url: `${url}${followed(stage.port)}`,
            distance: String(at),
          })),
        },
      };
      return ["hostile.livekit.cloud", "hostile.livekit.run"].map((host, at) => {
        stage.names.set(host, [[PUBLIC]]);
        const validate = at === 0 ? { status: 200 } : { status: 503, body: stage.word };
        return {
          about: host,
          host,
          script: { answers: { upgrade: { status: 500, body: stage.word }, validate, other } },
        };
      });
    },
  },
];

// Answers of every status.

const STATUSES = Array.from({ length: 500 }, (_, at) => at + 100);
const TELLING = [
  100, 101, 102, 103, 200, 201, 204, 206, 226, 300, 304, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 418, 421,
  422, 425, 426, 429, 431, 451, 500, 501, 502, 503, 504, 505, 511, 520, 599,
];

const wordyAnswer = (status: number, word: string): Answer => ({
  status,
  reason: `${word} as a reason`,
  headers: {
    "x-word": word,
    "www-authenticate": `Bearer realm="${word}"`,
    "retry-after": word,
    "set-cookie": `a=${word}`,
  },
  body: JSON.stringify({ code: word, msg: `${word} as a message`, message: word, error: word, reason: word }),
});

const wordsWithoutForm = (word: string): Answer[] => [
  { body: word },
  { json: word },
  { json: { code: word, msg: word, sid: word, name: word, participant_token: 7, token: { word } } },
  { raw: `HTTP/1.1 999 ${word}\r\n${word}: ${word}\r\n\r\n${word}` },
  { raw: `HTTP/1.1 20 ${word}\r\n\r\n${word}` },
  { raw: `${word} ${word}\r\n\r\n` },
  { raw: `HTTP/1.1 403 Forbidden\r\ncontent-length: 9999\r\n\r\n${word}` },
  { raw: `HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\nzz${word}\r\n` },
  { status: 403, headers: { "content-encoding": word }, body: word },
];

function statusesOf({ isLong, draw, word }: Stage): { about: string; answer: Answer }[] {
  const statuses = isLong ? STATUSES : [200, ...draw(TELLING, 5), ...draw(STATUSES, 1)];
  return [
    ...statuses.map((status) => ({ about: `status ${status}`, answer: wordyAnswer(status, word) })),
    ...draw(wordsWithoutForm(word), 2).map((answer) => ({
      about: JSON.stringify(answer).replaceAll(word, "…").slice(0, 60),
      answer,
    })),
  ];
}

const statuses: Attack[] = [
  {
    title: "no word of an answer to the request for a room is shown",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom"],
    tries: (stage) =>
      statusesOf(stage).map(({ about, answer }) => ({ about, script: { answers: { CreateRoom: answer } } })),
  },
  {
    title: "no word of an answer to an upgrade is shown",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) =>
      statusesOf(stage).map(({ about, answer }, at) => ({
        about,
        script: { isOld: at % 4 === 3, answers: { upgrade: answer } },
      })),
  },
  {
    title: "no word of an answer to a validation is shown",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) =>
      statusesOf(stage).map(({ about, answer }, at) => ({
        about,
        script: { isOld: at % 4 === 3, answers: { upgrade: refusedUpgrade(stage.word), validate: answer } },
      })),
  },
  {
    title: "no word of a token endpoint's answer, or of a validation behind it, is shown",
    reachesOnlyMediaServer: true,
    proof: ["token", "validate"],
    tries: (stage) =>
      statusesOf(stage).flatMap(({ about, answer }): Try[] => [
        { about: `endpoint, ${about}`, byEndpoint: true, script: { answers: { token: answer } } },
        { about: `validation, ${about}`, byEndpoint: true, script: { answers: { validate: answer } } },
      ]),
  },
];

// Signalling that names other places.

type Course = { join?: Record<string, unknown>; candidates?: string[]; next?: (client: Signalling) => void };

/** Joins the client, agrees on a section for data with these candidates at the attacker's side, and goes on. */
const joins =
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

/** All hosts that a candidate or a server can name and that the service must not reach, or not always. */
const hostsOf = ({ addresses }: Stage): string[] => [
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

const namedHostsOf = ({ nameOf }: Stage): string[] => [
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

/** A candidate at which the attacker's own media server would be. */
const ownCandidate = ({ port }: Stage): string => candidate("host", PUBLIC, port, 500);

const candidatesOf = (stage: Stage, kind: CandidateKind, hosts: string[]): string[] => [
  ...hosts.map((host, at) => candidate(kind, host, stage.port, at)),
  candidate(kind, "127.0.0.1", API_PORT, 400),
  ownCandidate(stage),
];

function trickle(client: Signalling, candidates: readonly string[]): void {
  const place = client.offer === undefined ? { sdpMid: "0", sdpMLineIndex: 0 } : dataPlaceIn(client.offer);
  for (const target of [0, 1])
    for (const one of candidates)
      client.send(signal({ trickle: { candidateInit: JSON.stringify({ candidate: one, ...place }), target } }));
}

const prepareNames = ({ names }: Stage): void => {
  for (const name of ["3fbe4ed6-3f0d-4f0a-8b0f-9d9c3c3f3c3f.local", "metadata.google.internal"])
    names.set(name, [METADATA_SHOWN]);
};

const candidates: Attack[] = [
  {
    title: "no candidate in an answer is reached that the service does not call",
    proof: ["upgrade", "media"],
    tries: (stage) =>
      CANDIDATE_KINDS.map((kind) => ({
        about: `${kind} candidates`,
        script: { signalling: joins({ candidates: candidatesOf(stage, kind, hostsOf(stage)) }) },
      })),
  },
  {
    title: "no candidate in an offer of the older form is reached that the service does not call",
    proof: ["upgrade"],
    tries: (stage) =>
      stage.draw(CANDIDATE_KINDS, 3).map((kind) => ({
        about: `${kind} candidates`,
        script: { isOld: true, signalling: joins({ candidates: candidatesOf(stage, kind, hostsOf(stage)) }) },
      })),
  },
  {
    title: "no candidate by a name is reached that the service does not call",
    proof: ["upgrade", "media"],
    tries: (stage) => {
      prepareNames(stage);
      return stage.draw(CANDIDATE_KINDS, 3).map((kind) => ({
        about: `${kind} candidates`,
        script: { signalling: joins({ candidates: candidatesOf(stage, kind, namedHostsOf(stage)) }) },
      }));
    },
  },
  {
    title: "no candidate that comes later is reached that the service does not call",
    proof: ["upgrade", "media"],
    tries: (stage) => {
      prepareNames(stage);
      const all = CANDIDATE_KINDS.flatMap((kind) =>
        candidatesOf(stage, kind, [...hostsOf(stage), ...namedHostsOf(stage)]),
      );
      return [false, true].map((isOld) => ({
        about: isOld ? "the older form" : "one connection",
        script: { isOld, signalling: joins({ next: (client) => trickle(client, all) }) },
      }));
    },
  },
];

/** Servers for candidates at all hosts, in all forms. */
function iceServersOf(stage: Stage): Record<string, unknown>[] {
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

/** Few servers at a time, because a client with many of them uses none. */
const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

const servers: Attack[] = [
  {
    title: "no STUN or TURN server that a media server names is reached",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) => {
      const parts = inParts(iceServersOf(stage), 16);
      return stage.draw(parts, 4).map((iceServers, at) => ({
        about: String((iceServers[0] as { urls: string[] }).urls[0]),
        script: {
          isOld: at === 3,
          signalling: joins({ join: { iceServers }, candidates: [ownCandidate(stage)] }),
        },
      }));
    },
  },
  {
    title: "a media server that forces relays chooses none of them",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) => {
      const { port } = stage;
      const hosts = ["169.254.169.254", "127.0.0.1", stage.addresses.service, OTHER_PUBLIC, "10.0.0.5"];
      const iceServers = hosts.map((host) => ({
        urls: [`turn:${host}:${port}?transport=udp`, `turn:${host}:${port}?transport=tcp`],
        username: "name",
        credential: stage.word,
      }));
      return [false, true].map((isOld) => ({
        about: isOld ? "the older form" : "one connection",
        script: {
          isOld,
          signalling: joins({
            join: { iceServers, clientConfiguration: { forceRelay: 2, resumeConnection: 2 } },
            candidates: [ownCandidate(stage)],
          }),
        },
      }));
    },
  },
  {
    title:
      "no other address that signalling names is reached: regions, alternative addresses, moved rooms, refreshed tokens",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) => {
      const urls = [...METADATA, ...HIDDEN_METADATA, ...LOOPBACK, ...PRIVATE, OTHER_PUBLIC].map(
        (host) => `ws://${inUrl(host)}:${stage.port}/${followed(stage.port)}`,
      );
      const regions = { regions: urls.map((url, at) => ({ region: `region ${at}`, url, distance: at })) };
      const leave = (action: number, reason: number) =>
        signal({ leave: { canReconnect: action > 0, reason, action, regions } });
      const at = [ownCandidate(stage)];
      const courses: ({ about: string } & Course)[] = [
        { about: "an alternative address", join: { alternativeUrl: urls[0] } },
        { about: "leave: disconnect", next: ({ send }) => send(leave(0, 3)) },
        { about: "leave: resume", next: ({ send }) => send(leave(1, 8)) },
        { about: "leave: reconnect", next: ({ send }) => send(leave(2, 8)) },
        { about: "leave: duplicate identity", next: ({ send }) => send(leave(2, 2)) },
        {
          about: "a moved room and a token",
          next({ send, socket }) {
            send(signal({ refreshToken: `x${stage.word}` }));
            send(
              signal({
                roomMoved: { room: { sid: "RM_2", name: stage.word }, token: urls[0], participant: { sid: "PA_2" } },
              }),
            );
            socket.close(1001, urls[0]!.slice(0, 100));
          },
        },
      ];
      return courses.map(({ about, ...course }) => ({
        about,
        script: { signalling: joins({ candidates: at, ...course }) },
      }));
    },
  },
  {
    title: "a first message that sends the client elsewhere is not followed",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) => {
      const regions = { regions: [{ region: "r", url: `ws://169.254.169.254:${stage.port}/${followed(stage.port)}` }] };
      return [0, 1, 2].map((action) => ({
        about: `leave with the action ${action}`,
        script: {
          signalling: ({ send }) => send(signal({ leave: { action, canReconnect: action > 0, reason: 2, regions } })),
        },
      }));
    },
  },
];

// Signalling without sense.

/** The reasons of a close have at most 123 bytes. */
const CLOSES = [1000, 1001, 1008, 1011, 3000, 4001];

const silent: Talk = () => {};

const breaking: Attack[] = [
  {
    title: "a media server that never answers, or only trickles, ends the try in time",
    reachesOnlyMediaServer: true,
    proof: ["CreateRoom", "upgrade"],
    tries: (stage) => {
      const drip = (socket: { write: (bytes: string) => unknown; destroyed: boolean }) => {
        const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write("x")), 300);
      };
      return [
        { about: "no answer to the request for a room", script: { answers: { CreateRoom: { isEndless: true } } } },
        {
          about: "no end of the answer to an upgrade",
          script: { answers: { upgrade: { status: 403, isEndless: true, body: stage.word } } },
        },
        { about: "no answer to an upgrade", script: { upgrade: () => {} } },
        {
          about: "an answer to an upgrade, byte by byte",
          script: {
            upgrade: (_request, socket) => {
              socket.write("HTTP/1.1 101 ");
              drip(socket);
            },
          },
        },
        { about: "no first message", script: { signalling: silent } },
        {
          about: "a first message, byte by byte",
          script: {
            upgrade: (request, socket) => {
              socket.write(acceptanceOf(request));
              socket.write(Buffer.from([0x82, 126, 0xff, 0xff]));
              drip(socket);
            },
          },
        },
        {
          about: "a first message and no answer to the offer",
          script: { signalling: ({ send }) => send(joined()) },
        },
        {
          about: "no end of the answer to a validation",
          script: {
            answers: {
              upgrade: refusedUpgrade(stage.word),
              validate: { status: 500, isEndless: true, body: stage.word },
            },
          },
        },
      ];
    },
  },
  {
    title: "a close in any state ends the try, and no word of it is shown",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    tries: (stage) => {
      const { word } = stage;
      const reason = `${word} closes the signalling`;
      const code = () => stage.draw(CLOSES, 1)[0]!;
      const at = [ownCandidate(stage)];
      return [
        { about: "at once", script: { signalling: ({ socket }) => socket.close(code(), reason) } },
        {
          about: "after the first message",
          script: {
            signalling: ({ send, socket }) => {
              send(joined());
              socket.close(code(), reason);
            },
          },
        },
        {
          about: "after the answer",
          script: { signalling: joins({ candidates: at, next: ({ socket }) => socket.close(code(), reason) }) },
        },
        {
          about: "without a handshake",
          script: { signalling: joins({ candidates: at, next: ({ socket }) => socket.terminate() }) },
        },
        {
          about: "with text",
          script: { signalling: joins({ candidates: at, next: ({ socket }) => socket.send(reason) }) },
        },
        {
          about: "with a word in the room's names",
          script: {
            signalling: joins({
              join: {
                room: { sid: word, name: word, metadata: word },
                participant: { sid: word, identity: word, name: word },
                serverVersion: word,
                serverRegion: word,
              },
              candidates: at,
              next: ({ send }) => send(signal({ leave: { reason: 5 } })),
            }),
          },
        },
        {
          about: "a wrong key of the upgrade",
          script: {
            upgrade: (_request, socket) =>
              write(socket, {
                status: 101,
                reason: word,
                headers: { upgrade: "websocket", "sec-websocket-accept": word, connection: "upgrade" },
              }),
          },
        },
        {
          about: "an extension that nobody offered",
          script: {
            upgrade: (request, socket) => {
              socket.write(
                acceptanceOf(
                  request,
                  `Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: ${word}\r\n`,
                ),
              );
              socket.end(Buffer.from([0xc2, 3, 1, 2, 3]));
            },
          },
        },
        {
          about: "frames that break the protocol",
          script: {
            upgrade: (request, socket) => {
              socket.write(acceptanceOf(request));
              socket.end(
                Buffer.concat([Buffer.from([0xf3, 127, 255, 255, 255, 255, 255, 255, 255, 255]), Buffer.from(word)]),
              );
            },
          },
        },
      ];
    },
  },
  {
    title: "large messages, many messages and garbage cost little memory and end the try in time",
    reachesOnlyMediaServer: true,
    isAlone: true,
    costsLittle: true,
    onlyTries: true,
    proof: ["upgrade"],
    tries: (stage) => {
      const garbage = randomBytes(200_000);
      const at = [ownCandidate(stage)];
      const large = joined({ room: { sid: "RM_1", name: "x".repeat(16 * 1024 * 1024) } });
      const update = signal({
        update: { participants: [{ sid: "PA_9", identity: "other", metadata: "y".repeat(2_000), state: 2 }] },
      });
      return [
        { about: "a first message of 16 MB", script: { signalling: ({ send }) => send(large) } },
        {
          about: "16 MB after the first message",
          script: {
            signalling: joins({
              candidates: at,
              next: ({ send }) =>
                send(signal({ roomUpdate: { room: { sid: "RM_1", metadata: "x".repeat(16 * 1024 * 1024) } } })),
            }),
          },
        },
        {
          about: "20,000 messages",
          script: {
            signalling: joins({
              candidates: at,
              next({ send }) {
                for (let count = 0; count < 20_000; count++) send(update);
              },
            }),
          },
        },
        {
          about: "5,000 candidates",
          script: {
            signalling: joins({
              candidates: at,
              next: (client) =>
                trickle(
                  client,
                  Array.from({ length: 2_500 }, (_, serial) => candidate("host", PUBLIC, 1_000 + serial, serial)),
                ),
            }),
          },
        },
        {
          about: "a message without end",
          script: {
            upgrade: (request, socket) => {
              socket.write(acceptanceOf(request));
              socket.write(Buffer.from([0x02, 127, 0, 0, 0, 0, 0x40, 0, 0, 0]));
              pour(socket, Buffer.alloc(256 * 1024, 0x41), 64);
            },
          },
        },
        {
          about: "a flood at the candidate",
          script: {
            signalling: joins({
              candidates: at,
              next({ socket }) {
                const stop = flood(stage.port);
                socket.once("close", stop);
              },
            }),
          },
        },
        { about: "garbage", script: { signalling: ({ send }) => send(garbage) } },
        {
          about: "garbage after the first message",
          script: {
            signalling: joins({ candidates: at, next: ({ send }) => [1, 2, 3].forEach(() => send(garbage)) }),
          },
        },
        {
          about: "an answer of 64 MB to a request for a room",
          script: { answers: { CreateRoom: { body: Buffer.alloc(64 * 1024 * 1024, 0x41) } } },
        },
        {
          about: "an answer of 64 MB to a validation",
          script: {
            answers: {
              upgrade: refusedUpgrade(stage.word),
              validate: { status: 500, body: Buffer.alloc(64 * 1024 * 1024, 0x41) },
            },
          },
        },
      ];
    },
  },
];

const FLOOD_EVERY_MS = 5;
const FLOOD_DATAGRAMS = 50;

/** Answers the first datagram at the attacker's candidate with thousands, until the function that it returns is called. */
function flood(port: number): () => void {
  const socket = createSocket("udp4").bind(port, PUBLIC);
  const noise = randomBytes(1_100);
  let timer: NodeJS.Timeout | undefined;
  socket.on("error", () => {});
  socket.on("message", (asked, { address, port: at }) => {
    timer ??= setInterval(() => {
      for (let count = 0; count < FLOOD_DATAGRAMS; count++)
        socket.send(count % 2 === 0 ? noise : asked, at, address, () => {});
    }, FLOOD_EVERY_MS);
  });
  return () => {
    clearInterval(timer);
    socket.close();
  };
}

/** Writes the bytes as often as `times`, as fast as the socket takes them. */
function pour(
  socket: { write: (bytes: Buffer) => boolean; once: (event: "drain", go: () => void) => unknown; destroyed: boolean },
  bytes: Buffer,
  times: number,
): void {
  for (let left = times; left > 0; left--) {
    if (socket.destroyed) return;
    if (!socket.write(bytes)) return void socket.once("drain", () => pour(socket, bytes, left - 1));
  }
}

/** Messages that a careless client takes for granted. */
const nonsense = (stage: Stage): { about: string; signalling: Talk }[] => {
  const own = [ownCandidate(stage)];
  const say = (...messages: Record<string, unknown>[]): Talk =>
    joins({ candidates: own, next: ({ send }) => messages.forEach((message) => send(signal(message))) });
  const withJoin = (join: Record<string, unknown>): Talk => joins({ join, candidates: own });
  return [
    { about: "an answer of no type", signalling: say({ answer: { type: stage.word, sdp: "v=0" } }) },
    { about: "an answer that is no description", signalling: say({ answer: { type: "answer", sdp: stage.word } }) },
    { about: "a candidate that is no JSON", signalling: say({ trickle: { candidateInit: stage.word, target: 0 } }) },
    {
      about: "a candidate that is none",
      signalling: say({
        trickle: { candidateInit: JSON.stringify({ candidate: stage.word, sdpMid: "0", sdpMLineIndex: 0 }), target: 0 },
      }),
    },
    {
      about: "a candidate for no side",
      signalling: say({
        trickle: { candidateInit: JSON.stringify({ candidate: own[0], sdpMid: "0", sdpMLineIndex: 0 }), target: 9 },
      }),
    },
    {
      about: "a candidate of a place that is none",
      signalling: say({
        trickle: {
          candidateInit: JSON.stringify({ candidate: own[0], sdpMid: "99", sdpMLineIndex: 99_999 }),
          target: 1,
        },
      }),
    },
    { about: "a ping every 0 seconds", signalling: withJoin({ pingInterval: 0, pingTimeout: 0 }) },
    { about: "a ping every -1 seconds", signalling: withJoin({ pingInterval: -1, pingTimeout: -1 }) },
    { about: "no participant", signalling: withJoin({ participant: null }) },
    {
      about: "a million sections for media",
      signalling: say({ mediaSectionsRequirement: { numAudios: 2 ** 31, numVideos: 2 ** 31 } }),
    },
    {
      about: "a server for candidates without sense",
      signalling: withJoin({ iceServers: [{ urls: ["turn:", "x", "stun:[", `turn:${"a".repeat(70_000)}`] }] }),
    },
    { about: "a second first message", signalling: say({ join: { room: { sid: "RM_2" } } }, { reconnect: {} }) },
    { about: "an offer of no type", signalling: say({ offer: { type: "", sdp: "" } }) },
  ];
};

const careless: Attack[] = [
  {
    title: "messages without sense do not end the calls of others",
    reachesOnlyMediaServer: true,
    proof: ["upgrade"],
    isAlone: true,
    onlyTries: true,
    tries: (stage) =>
      nonsense(stage).flatMap(({ about, signalling }): Try[] => [
        { about, script: { signalling } },
        ...(stage.isLong ? [{ about: `${about}, in the older form`, script: { isOld: true, signalling } }] : []),
      ]),
  },
];

// Rooms that exist, behind a server that changes what they say.

const rooms: Attack[] = [
  {
    title: "in a real room, no word of an answer about a dispatch is shown",
    proof: ["CreateDispatch", "ListDispatch", "media"],
    needsRooms: true,
    onlyTries: true,
    tries: (stage) =>
      stage.draw(statusesOf(stage), 3).flatMap(({ about, answer }): Try[] => [
        {
          about: `dispatch, ${about}`,
          script: { signalling: stage.rooms!.through({}), answers: { CreateDispatch: answer } },
        },
        {
          about: `jobs, ${about}`,
          script: { signalling: stage.rooms!.through({}), answers: { ListDispatch: answer } },
        },
      ]),
  },
  {
    title: "in a real room, nothing that the server adds is reached: servers for candidates, candidates, regions",
    proof: ["upgrade", "media"],
    needsRooms: true,
    onlyTries: true,
    tries: (stage) => {
      const all = CANDIDATE_KINDS.flatMap((kind) => candidatesOf(stage, kind, hostsOf(stage)));
      const url = `ws://169.254.169.254:${stage.port}/${followed(stage.port)}`;
      const regions = { regions: [{ region: "r", url }] };
      const { through } = stage.rooms!;
      const hasTalker = true;
      return [
        ...stage.draw(inParts(iceServersOf(stage), 16), 1).map((iceServers) => ({
          about: "servers for candidates",
          script: { signalling: through({ hasTalker, joinToo: { iceServers } }) },
        })),
        {
          about: "candidates",
          script: { signalling: through({ hasTalker, onceJoined: (client) => trickle(client, all) }) },
        },
        {
          about: "regions",
          script: {
            signalling: through({
              hasTalker,
              onceHeard: ({ send }) => send(signal({ leave: { action: 2, canReconnect: true, reason: 8, regions } })),
            }),
          },
        },
        {
          about: "a moved room and a token",
          script: {
            signalling: through({
              hasTalker,
              onceHeard: ({ send }) => {
                send(signal({ refreshToken: stage.word }));
                send(
                  signal({
                    roomMoved: {
                      room: { sid: "RM_2", name: stage.word },
                      token: stage.word,
                      participant: { sid: "PA_2", identity: "svc-caller" },
                    },
                  }),
                );
              },
            }),
          },
        },
      ];
    },
  },
  {
    title: "in a real room, a name that changes during the call leads to no address that the service does not call",
    proof: ["upgrade", "media"],
    needsRooms: true,
    tries: (stage) =>
      [["169.254.169.254"], ["127.0.0.1"]].map((turned) => {
        const host = stage.nameOf([[PUBLIC]]);
        return {
          about: `to ${turned[0]}`,
          host,
          script: {
            signalling: stage.rooms!.through({
              hasTalker: true,
              reconnectToo: {
                iceServers: [
                  { urls: [`turn:169.254.169.254:${stage.port}?transport=udp`], username: "u", credential: "c" },
                ],
              },
              onceHeard({ socket }) {
                stage.names.set(host, [turned]);
                socket.terminate();
              },
            }),
          },
        };
      }),
  },
];

export const ATTACKS: readonly Attack[] = [
  ...redirects,
  ...names,
  ...statuses,
  ...candidates,
  ...servers,
  ...breaking,
  ...rooms,
  ...careless,
];

/** Calls that work as far as an attacker without media can play them: they prove that the battery sees what arrives. */
export const CONTROL: Attack = {
  title: "the service reaches a media server that behaves, and its candidate",
  proof: ["CreateRoom", "upgrade", "media"],
  tries: (stage) => [{ about: "one connection", script: { signalling: joins({ candidates: [ownCandidate(stage)] }) } }],
};

export const ROOM_CONTROL: Attack = {
  title: "a call in a real room works",
  proof: ["CreateRoom", "upgrade", "CreateDispatch", "ListDispatch", "media"],
  needsRooms: true,
  tries: ({ rooms }) => [
    { about: "with a participant that talks", script: { signalling: rooms!.through({ hasTalker: true }) } },
  ],
};
