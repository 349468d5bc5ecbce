import { answers, redirects } from "./attacks-of-answers.ts";
import { names } from "./attacks-of-names.ts";
import { candidates, elsewhere } from "./attacks-of-signalling.ts";
import { rooms } from "./attacks-in-rooms.ts";
import { breaking, careless } from "./attacks-without-sense.ts";
import { joins, ownCandidate } from "./courses.ts";
import type { Attack } from "./stage.ts";

export const ATTACKS: readonly Attack[] = [
  ...redirects,
  ...names,
  ...answers,
  ...candidates,
  ...elsewhere,
  ...breaking,
  ...rooms,
  ...careless,
];

/** Calls without an attack. They prove that the specs see every packet and request. */
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
