import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FAST } from "../test/support/monitoring-pace.ts";
import { openFakePlatformA } from "../test/support/platform-a/fake.ts";
import { startAgent } from "./agent.ts";
import { alertLoad } from "./loads/alerts.ts";
import { deletionLoad } from "./loads/deletions.ts";
import { editLoad } from "./loads/edits.ts";
import { failureLoad } from "./loads/failures.ts";
import { importLoad } from "./loads/imports.ts";
import { ingestLoad } from "./loads/ingest.ts";
import { keyLoad } from "./loads/keys.ts";
import { type Access, type Load, work } from "./loads/load.ts";
import { notificationLoad } from "./loads/notifications.ts";
import { runLoad } from "./loads/runs.ts";
import { scheduleLoad } from "./loads/schedules.ts";
import { signUpLoad } from "./loads/sign-ups.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf, type Service } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const KILLS_EACH_EPOCH = 25;
const LIFE_MS_MAX = 1_500;
const OPENING_MS_MAX = 1_200;
const MINUTE_MS = 60_000;
/** Windows of 5 minutes are judged one minute after their end. */
const JUDGED_EVERY_MS = 5 * MINUTE_MS;
/** The latest time after the start of a process at which its clock reaches a due time. */
const DUE_WITHIN_MS = 2_500;
/** The facts are checked only after this many kills, because some faults need several kills. */
const CHECK_EVERY = 8;
/** The shorter wait for a planted fault, which never disappears. */
const PLANTED_WAIT_MS = 3_000;

export const kills: Scenario = {
  name: "kills",
  shows: "after kill -9 at random moments under mixed load, no acknowledged fact is lost or doubled",
  weight: 4,
  trials: "kills",
  goal: 1_000,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await epoch(arena, number);
  },
};

/** Kills one data folder again and again, then checks every acknowledged fact. */
async function epoch(arena: Arena, number: number): Promise<void> {
  const draws = arena.draws.named(`epoch ${number}`);
  const dataDir = join(arena.folder, `data-${number}`);
  const platform = await openFakePlatformA();
  const agent = await startAgent(draws.named("agent"));
  const settings = claimed(draws, {
    SVC_OPEN_SIGNUP: "true",
    SVC_OUTBOUND_PRIVATE: "true",
    SVC_TRUST_PROXY: "true",
    SVC_PLATFORM_A_BASE_URL: platform.url,
  });
  const loads: Load[] = [
    ingestLoad(),
    ingestLoad(),
    editLoad(),
    keyLoad(),
    deletionLoad(),
    signUpLoad(),
    importLoad(platform),
    runLoad(agent),
    notificationLoad(() => draws.next()),
    failureLoad(),
    scheduleLoad(agent),
    alertLoad(),
  ];
  const pace = { ...FAST, tickMs: 50, pollMs: 200 };
  const options = {
    pace,
    productionPace: { everyMs: 50 },
    groups: { pace: { everyMs: 50 } },
    runs: { lookForDueMs: 50 },
    evaluateAlertsEveryMs: 50,
  };
  const nextOffset = openClock(draws.named("clock"));
  let clockOffsetMs = 0;
  const start = () => {
    clockOffsetMs = nextOffset();
    return arena.launch({ dataDir, settings, options, clock: { offsetMs: clockOffsetMs } });
  };
  const accessTo = async (service: Service): Promise<Access> => {
    const url = await service.serving;
    const client = clientOf(url, keysIn(settings).projectKey);
    const admin = clientOf(url, keysIn(settings).adminKey);
    return { url, client, admin, projectKey: keysIn(settings).projectKey, dataDir, clockOffsetMs, draws };
  };
  const report = (faults: string[]) => {
    for (const fault of faults) arena.violation(fault, { epoch: number }, dataDir);
  };

  let service = start();
  const first = await accessTo(service);
  await Promise.all(loads.map(async (load) => load.prepare?.(first)));
  for (let kill = 0; kill < KILLS_EACH_EPOCH && (kill === 0 || arena.goesOn()); kill++) {
    // Every fifth process is killed while it starts.
    if (kill % 5 === 4) await delay(draws.next() * OPENING_MS_MAX);
    else {
      const life = new AbortController();
      const access = await accessTo(service);
      const working = loads.map((load) => work(load, access, life.signal));
      await delay(20 + draws.next() ** 2 * LIFE_MS_MAX);
      const killed = service.kill();
      life.abort();
      await killed;
      report((await Promise.all(working)).flat());
    }
    if (!service.isAlive() && kill % 5 === 4) report([`a start after a kill failed: ${service.errors()}`]);
    await service.kill();
    arena.trial();
    service = start();
    if (kill % CHECK_EVERY === CHECK_EVERY - 1) report(await faultsOf(loads, await accessTo(service)));
  }
  if (arena.isPlanted) for (const load of loads) load.plant();
  const facts = loads.reduce((sum, load) => sum + load.acknowledged(), 0);
  for (const load of loads) arena.count(load.name, load.acknowledged());
  arena.count("acknowledged facts", facts);
  const last = await accessTo(service);
  report(await faultsOf(loads, arena.isPlanted ? { ...last, waitMs: PLANTED_WAIT_MS } : last));
  const errors = service.log.filter(({ level }) => level === "error" || level === "fatal");
  if (errors.length > 0) arena.note(`the log has errors: ${JSON.stringify(errors[0])}`);
  await service.stop();
  for (const load of loads) await load.close?.();
  agent.stop();
  await platform.close();
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Returns a function that moves the clock on for the next process. Soon after its start, the process reaches the next full minute, or the
 * next minute at which windows of alert rules are judged.
 */
function openClock(draws: Draws): () => number {
  let offsetMs = 0;
  return () => {
    const nowMs = Date.now() + offsetMs;
    const everyMs = draws.next() < 0.5 ? MINUTE_MS : JUDGED_EVERY_MS;
    const dueMs = Math.ceil((nowMs - MINUTE_MS) / everyMs) * everyMs + MINUTE_MS;
    offsetMs += Math.max(0, dueMs - draws.whole(0, DUE_WITHIN_MS) - nowMs);
    return offsetMs;
  };
}

async function faultsOf(loads: readonly Load[], access: Access): Promise<string[]> {
  const found: string[] = [];
  for (const load of loads)
    found.push(
      ...(await load
        .faults(access)
        .catch((error: Error) => [`${load.name}: the facts cannot be checked: ${error.message}`])),
    );
  return found;
}
