import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Reply, send } from "../test/support/request.ts";
import { until } from "../test/support/until.ts";
import { editLoad } from "./loads/edits.ts";
import { ingestLoad } from "./loads/ingest.ts";
import type { Access, Load } from "./loads/load.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf, type Service } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const DISK_MB = 48;
const STEPS = 25;
const HEAL_MS = 60_000;

/** A way to make the service's writes fail, and to let them succeed again. */
type Fault = { name: string; begin: () => void; end: () => void };

export const disk: Scenario = {
  name: "disk",
  shows: "a full disk answers 503, /health says so, everything heals with space, and no acknowledged fact is lost",
  weight: 1.5,
  trials: "outages of the disk",
  goal: 100,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await outage(arena, arena.draws.named(`case ${number}`), number);
  },
};

async function outage(arena: Arena, draws: Draws, number: number): Promise<void> {
  const dataDir = join(arena.folder, `disk-${number}`);
  mkdirSync(dataDir, { recursive: true });
  const isMounted = number % 2 === 0 && mount(arena, dataDir);
  const settings = claimed(draws);
  const start = () => arena.launch({ dataDir, settings });
  let service = start();
  try {
    const fault = isMounted ? fullDisk(dataDir) : sizeLimit(arena, service, draws);
    if (fault === undefined) return;
    const access = await accessTo(service, dataDir, settings, draws);
    const loads = [ingestLoad(), editLoad()];
    for (const load of loads) await load.prepare?.(access);
    for (let step = 0; step < STEPS; step++) for (const load of loads) await load.step(access);
    fault.begin();
    await duringOutage(arena, service, access, loads, fault.name);
    fault.end();
    const healed = await until("ingest answers 200 and /health is ok", () => isHealthy(access, loads), HEAL_MS).catch(
      (error: Error) => error,
    );
    if (healed instanceof Error)
      arena.violation(`${fault.name}: no recovery within ${HEAL_MS / 1_000} s`, service.warnings().slice(-10));
    for (const load of loads) for (const lost of await load.faults(access)) arena.violation(`${fault.name}: ${lost}`);
    await service.stop();
    service = start();
    const again = await accessTo(service, dataDir, settings, draws);
    if (arena.isPlanted) for (const load of loads) load.plant();
    for (const load of loads)
      for (const lost of await load.faults(again)) arena.violation(`${fault.name}, after a restart: ${lost}`);
    for (const load of loads) arena.count(load.name, load.acknowledged());
    arena.trial();
    arena.count(fault.name);
  } finally {
    await service.kill();
    if (isMounted) spawnSync("umount", ["-l", dataDir]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Sends requests until a write fails, and checks every answer before and after. */
async function duringOutage(arena: Arena, service: Service, access: Access, loads: Load[], name: string) {
  const { url, client, projectKey, draws } = access;
  const filler = draws.bytes(60_000).toString("base64");
  const refused: unknown[] = [];
  for (let attempt = 0; attempt < 200 && refused.length < 10; attempt++) {
    const load = loads[attempt % loads.length]!;
    await load.step({ ...access, admin: client }).catch((error: { status?: number; message: string }) => {
      refused.push(error);
      arena.count(`writes answered ${error.status}`);
      if (error.status !== 503)
        arena.violation(`${name}: a write of ${load.name} is answered ${error.status}: ${error.message}`);
    });
    const body = JSON.stringify({ resourceSpans: [], filler });
    await send(url, {
      method: "POST",
      path: "/v1/traces",
      key: projectKey,
      body,
      headers: { "content-type": "application/json" },
    });
  }
  if (refused.length === 0) return arena.note(`${name}: no write was refused`);
  const said = await until(
    "/health reports the outage",
    async () => isDegraded(await send(url, { method: "GET", path: "/health" })),
    10_000,
  ).catch(() => false);
  if (!said) arena.violation(`${name}: /health says nothing of the outage`, service.warnings().slice(-10));
  const list = await send(url, { method: "GET", path: "/v1/traces", key: projectKey });
  if (list.status !== 200 && list.status !== 503)
    arena.violation(`${name}: a list is answered ${list.status}`, { text: list.text });
  await delay(500);
  if (!service.isAlive())
    arena.violation(`${name}: the service ended`, { log: service.log.slice(-10), errors: service.errors() });
}

const isDegraded = ({ status, text }: Reply): boolean =>
  status !== 200 || (JSON.parse(text) as { degraded?: boolean }).degraded === true;

async function isHealthy(access: Access, loads: readonly Load[]): Promise<boolean> {
  for (const load of loads) await load.step(access);
  return !isDegraded(await send(access.url, { method: "GET", path: "/health" }));
}

async function accessTo(
  service: Service,
  dataDir: string,
  settings: ReturnType<typeof claimed>,
  draws: Draws,
): Promise<Access> {
  const url = await service.serving;
  const projectKey = keysIn(settings).projectKey;
  const admin = clientOf(url, keysIn(settings).adminKey);
  return { url, projectKey, dataDir, client: clientOf(url, projectKey), admin, draws };
}

function mount(arena: Arena, folder: string): boolean {
  const { status, stderr, error } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "none", folder], {
    encoding: "utf8",
  });
  if (status === 0) return true;
  arena.note(
    `no small disk can be mounted (${(error?.message ?? stderr).trim()}), so only the size of files is limited`,
  );
  return false;
}

function fullDisk(folder: string): Fault {
  const filler = join(folder, "filler");
  return {
    name: "full disk",
    begin() {
      const piece = Buffer.alloc(64 * 1024);
      try {
        for (;;) writeFileSync(filler, piece, { flag: "a" });
      } catch {
        // The disk is full now.
      }
    },
    end: () => rmSync(filler),
  };
}

/** Limits the size of every file that the service writes, so that its writes fail with EFBIG. */
function sizeLimit(arena: Arena, service: Service, draws: Draws): Fault | undefined {
  const limit = (bytes: string) =>
    spawnSync("prlimit", ["--pid", String(service.process.pid), `--fsize=${bytes}:unlimited`], { encoding: "utf8" });
  const { status, stderr, error } = limit("unlimited");
  if (status !== 0) {
    arena.note(`the size of files cannot be limited (${(error?.message ?? stderr).trim()})`);
    return undefined;
  }
  return {
    name: "write errors",
    begin: () => void limit(String(draws.whole(1_000, 20_000))),
    end: () => void limit("unlimited"),
  };
}
