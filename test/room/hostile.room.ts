// Plays calls into rooms of hostile media servers, in network namespaces without a way out: `npm run test:hostile-rooms`.
// HOSTILE_ONLY chooses attacks by their titles. HOSTILE_PLANT=true plants a fault in each attack, which the attack must find.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CODE_FOLDER } from "../../packages/server/src/assets.ts";
import { missingRoomPackage } from "../../packages/server/src/voice/calls/lines/room/room-package.ts";
import { IS_LONG } from "../support/long-form.ts";
import { ATTACKS, CONTROL, ROOM_CONTROL } from "../support/room/hostile/attacks.ts";
import { type Battery, playBattery, printReport } from "../support/room/hostile/battery.ts";
import { missingForNamespaces } from "../support/room/hostile/namespaces.ts";
import { WORLDS } from "../support/room/hostile/worlds.ts";

/** Why this machine cannot run the specs; undefined when it can. */
const reason = missingForNamespaces() ?? missingRoomPackage([CODE_FOLDER]);
const program = process.env.SVC_TEST_MEDIA_SERVER;
const hasRooms = program !== undefined && existsSync(program);
const only = new RegExp(process.env.HOSTILE_ONLY ?? "");
const plants = process.env.HOSTILE_PLANT === "true";

let battery: Battery;
beforeAll(async () => {
  if (reason !== undefined) return;
  battery = await playBattery({ program: hasRooms ? program : undefined, only, isLong: IS_LONG, plants });
  printReport(battery);
}, 3_600_000);
afterAll(() => battery?.close(), 60_000);

const attacks = [CONTROL, ROOM_CONTROL, ...ATTACKS.filter(({ title }) => only.test(title))];

describe.each(WORLDS.map(({ name, refusesPrivate }, number) => ({ name, refusesPrivate, number })))(
  "against $name",
  ({ number, refusesPrivate }) => {
    beforeEach(({ skip }) => {
      if (reason !== undefined) skip(reason);
    });

    const rowOf = (wanted: string) =>
      battery.rows.find(({ world, attack }) => world === number && attack.title === wanted)!;

    test.for(attacks)("$title", ({ title, needsRooms }, { skip }) => {
      if (needsRooms && !hasRooms) skip("SVC_TEST_MEDIA_SERVER names no program of a media server");
      const { findings, missing } = rowOf(title);
      expect(missing.map((proof) => `no proof that the attack took place: ${proof}`)).toEqual([]);
      if (!plants) return expect(findings).toEqual([]);
      for (const planted of [/^reached tcp 169\.254/, /^reached udp fd00:/, /^shows a word/])
        expect(findings).toContainEqual(expect.stringMatching(planted));
    });

    test("a call in a real room connects", ({ skip }) => {
      if (!hasRooms) skip("SVC_TEST_MEDIA_SERVER names no program of a media server");
      expect(rowOf(ROOM_CONTROL.title).play.outcomes).toMatchObject([{ connected: true }]);
    });

    test("the battery finds packets that are planted", () => {
      const { planted } = battery.worlds[number]!;
      for (const packet of ["tcp 169.254.169.254", "udp 169.254.169.254", "tcp fd00:ec2::254", "udp fd00:ec2::254"])
        expect(planted).toContainEqual(expect.stringContaining(packet));
      expect(planted.some((packet) => packet.startsWith("tcp 127.0.0.1"))).toBe(refusesPrivate);
    });

    test("no packet beside those of the attacks reaches a forbidden address", () => {
      expect(battery.worlds[number]!.others).toEqual([]);
    });

    test("the log holds no word of an answer", () => {
      expect(battery.worlds[number]!.wordsInLog).toEqual([]);
    });

    test("the service is healthy all the time, and no process for calls ends during calls", () => {
      const { health, hasEnded, lostMediaProcesses } = battery.worlds[number]!;
      expect({ healthFailures: health.failures, hasEnded, lostMediaProcesses }).toEqual({
        healthFailures: 0,
        hasEnded: false,
        lostMediaProcesses: 0,
      });
    });
  },
);
