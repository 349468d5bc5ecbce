import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { PUBLIC } from "./addresses.ts";
import { joins, ownCandidate, trickle } from "./courses.ts";
import { acceptanceOf, type Talk, write } from "./media-server.ts";
import { candidate, joined, signal } from "./signals.ts";
import { type Attack, refusedUpgrade, type Stage, type Try } from "./stage.ts";

/** Close codes of WebSockets. The reason of a close has at most 123 bytes. */
const CLOSES = [1000, 1001, 1008, 1011, 3000, 4001];

const silent: Talk = () => {};

export const breaking: Attack[] = [
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

/** Answers the first datagram at the attacker's candidate with thousands of datagrams, until the returned function is called. */
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

/** Writes the bytes `times` times, as fast as the socket accepts them. */
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

/** Messages that lack or break what a careless client expects. */
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

export const careless: Attack[] = [
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
