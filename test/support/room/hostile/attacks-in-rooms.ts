import { statusesOf } from "./attacks-of-answers.ts";
import { candidatesOf, hostsOf, iceServersOf, inParts, trickle } from "./courses.ts";
import { CANDIDATE_KINDS, signal } from "./signals.ts";
import { type Attack, followed, HERE, type Try } from "./stage.ts";

// These attacks happen in rooms of a real media server, behind a proxy that changes its messages.

export const rooms: Attack[] = [
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
        const host = stage.nameOf([HERE]);
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
