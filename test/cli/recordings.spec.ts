import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { unreachedSimulation } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const SOUND = recordedWav(1_500, [{ fromMs: 0, toMs: 500, level: 0.5 }], []);

let server: SharedServer;
let home: ReturnType<typeof openHome>;
let simulationId: string;
let players: string;
beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  players = join(home.folder, "bin");
  mkdirSync(players);
  simulationId = await unreachedSimulation(server.client);
  await server.keepRecording({ projectId: server.project.id, simulationId, bytes: SOUND });
});
afterAll(async () => {
  await server.stop();
  home.remove();
});

const show = (...more: string[]) =>
  home.svc(["simulations", "show", simulationId, ...more], { env: { PATH: players, TMPDIR: home.folder } });

/** Installs a player that copies the sound to `played`, or fails. */
function installPlayer(script: string): void {
  const program = join(players, "ffplay");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
}

test("--save writes the recording to a new file beside the answer, and refuses an existing file", async () => {
  const file = join(home.folder, "call.wav");
  const saved = await show("--save", file);
  expect([saved.exitCode, saved.stderr]).toEqual([0, `The recording of 0:01.5 is in ${file}.\n`]);
  expect(saved.stdout).toContain(simulationId);
  expect(readFileSync(file)).toEqual(SOUND);
  const again = await show("--save", file);
  expect([again.exitCode, again.stderr]).toEqual([1, `The file ${file} exists. Name a new file.\n`]);
  expect(readFileSync(file)).toEqual(SOUND);
});

test("--play without a player of the system says what to install", async () => {
  const { exitCode, stderr } = await show("--play");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/no program that plays sound \(afplay, .*\)\. Install ffmpeg .*--save/);
});

test("--play hands the recording to the player, prints the simulation and leaves no file", async () => {
  const played = join(home.folder, "played.wav");
  installPlayer(`for file; do :; done; /bin/cp "$file" ${played}`);
  const { exitCode, stdout, stderr } = await show("--play");
  expect([exitCode, stderr]).toEqual([0, "Playing the recording of 0:01.5 with ffplay. Ctrl-C ends it.\n"]);
  expect(stdout).toContain(simulationId);
  expect(readFileSync(played)).toEqual(SOUND);
  expect(readdirSync(home.folder).filter((name) => name.startsWith("svc-recording-"))).toEqual([]);
});

test("the player's failure is named, and its exit code is the command's", async () => {
  installPlayer("echo no device >&2; exit 7");
  const { exitCode, stderr } = await show("--play");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ffplay could not play the recording. no device")]);
});

test("an interrupt ends the player and removes its file", async () => {
  installPlayer("echo $$ > $TMPDIR/pid; exec sleep 60");
  const program = home.start(["simulations", "show", simulationId, "--play"], {
    PATH: `${players}:${process.env.PATH}`,
    TMPDIR: home.folder,
  });
  const pid = join(home.folder, "pid");
  await until("the player plays", () => existsSync(pid) && statSync(pid).size > 0);
  // A terminal sends the signal to the command and to the player.
  process.kill(Number(readFileSync(pid, "utf8")), "SIGINT");
  program.kill("SIGINT");
  await program.ended;
  expect(readdirSync(home.folder).filter((name) => name.startsWith("svc-recording-"))).toEqual([]);
});

test("a conversation without a recording is refused with the reason, even by its trace", async () => {
  const { simulation } = await server.client.simulations.get({ simulationId });
  const byTrace = await home.svc(["traces", "show", simulation.traceId!, "--save", join(home.folder, "trace.wav")]);
  expect([byTrace.exitCode, byTrace.stderr]).toEqual([0, expect.stringContaining("The recording of 0:01.5")]);

  const silent = await unreachedSimulation(server.client);
  const none = await home.json(["simulations", "show", silent, "--save", "none.wav"]);
  expect(none).toMatchObject({ error: "no_recording", message: expect.stringMatching(/has no recording/) });
  await server.keepRecording({ projectId: server.project.id, simulationId: silent, bytes: Buffer.from("no sound") });
  const lost = await home.json(["simulations", "show", silent, "--save", "none.wav"]);
  expect(lost).toMatchObject({ error: "no_recording", message: expect.stringMatching(/no WAV file/) });
});
