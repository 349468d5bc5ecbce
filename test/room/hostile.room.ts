// Calls into rooms of hostile media servers, in network namespaces without a way out: `npm run test:hostile-rooms`.
// HOSTILE_ONLY chooses attacks by their titles, and HOSTILE_PLANT=true makes each attack find a fault that is planted in it.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CODE_FOLDER } from "../../packages/server/src/assets.ts";
import { missingRoomPackage } from "../../packages/server/src/calls/lines/room-package.ts";
import { IS_LONG } from "../support/long-form.ts";
import { ATTACKS, CONTROL, ROOM_CONTROL } from "../support/room/hostile/attacks.ts";
import { type Battery, MEMORY_LIMIT_MB, playBattery, printReport, WORLDS } from "../support/room/hostile/battery.ts";
import { missingForNamespaces } from "../support/room/hostile/namespaces.ts";

/** Says why this machine cannot run the specs; undefined when it can. */
const reason = missingForNamespaces() ?? missingRoomPackage([CODE_FOLDER]);
if (reason !== undefined) console.log(`The hostile rooms are skipped: ${reason}.`);

const program = process.env.SVC_TEST_MEDIA_SERVER;
const hasRooms = program !== undefined && existsSync(program);
if (!hasRooms) console.log("Attacks in real rooms are skipped: SVC_TEST_MEDIA_SERVER names no program.");
const only = new RegExp(process.env.HOSTILE_ONLY ?? "");
const plants = process.env.HOSTILE_PLANT === "true";

let battery: Battery;
beforeAll(async () => {
  if (reason !== undefined) return;
  battery = await playBattery({ program: hasRooms ? program : undefined, only, isLong: IS_LONG, plants });
  printReport(battery);
}, 3_600_000);
afterAll(() => battery?.close(), 60_000);

describe.each(WORLDS.map((world, number) => ({ ...world, number })))("against $name", ({ number }) => {
  beforeEach(({ skip }) => {
    if (reason !== undefined) skip(reason);
  });

  const attacks = [CONTROL, ROOM_CONTROL, ...ATTACKS].filter(
    (attack) => attack === CONTROL || attack === ROOM_CONTROL || only.test(attack.title),
  );
  test.for(attacks)("$title", ({ title, needsRooms }, { skip }) => {
    if (needsRooms && !hasRooms) skip("SVC_TEST_MEDIA_SERVER names no program");
    const { findings, missing } = battery.rows.find((row) => row.world === number && row.title === title)!;
    expect({ withoutProof: missing }).toEqual({ withoutProof: [] });
    if (!plants) return expect(findings).toEqual([]);
    expect(findings).toEqual(
      expect.arrayContaining([expect.stringMatching(/^reached tcp/), expect.stringMatching(/^shows a word/)]),
    );
  });

  test("a call in a real room connects", ({ skip }) => {
    if (!hasRooms) skip("SVC_TEST_MEDIA_SERVER names no program");
    const { play } = battery.rows.find((row) => row.world === number && row.title === ROOM_CONTROL.title)!;
    expect(play.outcomes).toMatchObject([{ connected: true }]);
  });

  test("the battery finds a planted connection and a planted datagram", () => {
    const { findings } = battery.planted[number]!;
    for (const packet of ["tcp 169.254.169.254", "udp 169.254.169.254", "tcp fd00:ec2::254", "udp fd00:ec2::254"])
      expect(findings).toContainEqual(expect.stringContaining(packet));
    const onLoopback = expect.stringContaining("tcp 127.0.0.1");
    if (WORLDS[number]!.refusesPrivate) expect(findings).toContainEqual(onLoopback);
    else expect(findings).not.toContainEqual(onLoopback);
  });

  test("no packet beside those of the attacks reaches a forbidden address", () => {
    expect(battery.others[number]!.findings).toEqual([]);
  });

  test("the log holds no word of an answer", () => {
    expect(battery.services[number]!.wordsInLog).toEqual([]);
  });

  test("no media process ends during calls, and the service lives", () => {
    expect(battery.services[number]).toMatchObject({ lostMediaProcesses: 0, hasEnded: false });
  });

  test("the memory of each process stays near that after a quiet call", () => {
    const { idleMb, mostMb } = battery.services[number]!;
    expect(mostMb.service - idleMb.service).toBeLessThan(MEMORY_LIMIT_MB);
    expect(mostMb.calls - idleMb.calls).toBeLessThan(MEMORY_LIMIT_MB);
  });
});
