import { HIDDEN_METADATA, inUrl, LOOPBACK, METADATA, OTHER_PUBLIC, PRIVATE } from "./addresses.ts";
import {
  candidatesOf,
  type Course,
  hostsOf,
  iceServersOf,
  inParts,
  joins,
  namedHostsOf,
  ownCandidate,
  prepareNames,
  trickle,
} from "./courses.ts";
import { CANDIDATE_KINDS, signal } from "./signals.ts";
import { type Attack, followed } from "./stage.ts";

export const candidates: Attack[] = [
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

export const elsewhere: Attack[] = [
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
