import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Ask, send } from "../test/support/request.ts";
import { until } from "../test/support/until.ts";
import { startAgent } from "./agent.ts";
import { type Host, openHost, type StartedService } from "./host.ts";
import { newBody } from "./loads/ingest.ts";
import type { Draws } from "./random.ts";
import { allIsRead, fillWithSamples, openSamplePlatform } from "./sample-data.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { type Claim, claimed, clientOf, NotStarted } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

/** Within this time, a service must serve the unchanged data or report the damage. */
const HEAL_MS = 10_000;
const START_MS = 60_000;

const DAMAGES_OF_EACH_KIND = 200;
/**
 * Every twentieth start uses a new process. Such a start takes three times as long as one in a process that has already loaded the
 * code.
 */
const PROCESS_EVERY = 20;
/** If this many damages to a kind of file changed nothing, the kind is damaged together with other kinds of which this is also true. */
const HARMLESS_AFTER = 5;
const KEY_USE_MS = 5_000;
const PACE = { tickMs: 100, pollMs: 200 };

export const flips: Scenario = {
  name: "flips",
  shows: "damage to a stopped service's files changes no answer, or the service reports it",
  weight: 5,
  trials: "damaged files",
  goal: 4_000,
  async run(arena) {
    const platform = await openSamplePlatform();
    const agent = await startAgent(arena.draws.named("agent"));
    const settings = claimed(arena.draws, { SVC_PLATFORM_A_BASE_URL: platform.url });
    // The service can read the platform's key, and send requests to the platform, only with the right encryption key.
    const usesKey = async () => {
      const before = platform.requests.length;
      await until("the platform is asked", () => platform.requests.length > before, KEY_USE_MS).catch(() => undefined);
      return platform.requests.length > before;
    };
    const stopped = await Promise.all([
      stoppedFolder(arena, "stop", settings, { agent, platform }),
      stoppedFolder(arena, "kill -9", settings, { agent, platform }),
    ]);
    const folders = new Map<string, Stopped[]>();
    for (const from of stopped)
      for (const kind of kindsIn(from.dataDir)) folders.set(kind, [...(folders.get(kind) ?? []), from]);
    const host = openHost();
    const kinds = arena.draws.shuffled([...folders.keys()]);
    arena.note(`kinds of files: ${kinds.join(", ")}`);
    const outcomes = new Map<string, Outcome["is"][]>(kinds.map((kind) => [kind, []]));
    for (let round = 0; round < DAMAGES_OF_EACH_KIND && arena.goesOn(); round++) {
      const start = round % PROCESS_EVERY === 0 ? arena.launch : host.start;
      const groups = new Map<string, { from: Stopped; kinds: string[] }>();
      for (const kind of kinds) {
        const from = folders.get(kind)![round % folders.get(kind)!.length]!;
        const name = isHarmless(outcomes.get(kind)!) ? `harmless after ${from.how}` : kind;
        groups.set(name, { from, kinds: [...(groups.get(name)?.kinds ?? []), kind] });
      }
      for (const group of groups.values()) {
        if (!arena.goesOn()) break;
        const draws = (kind: string) => arena.draws.named(`damage ${round} of ${kind}`);
        const found = await damagedStart(arena, settings, start, group, draws, usesKey);
        for (const [kind, outcome] of found) outcomes.get(kind)!.push(outcome);
      }
    }
    host.close();
    agent.stop();
    await platform.close();
  },
};

type Stopped = { dataDir: string; how: string; reads: Ask[]; answers: Answers };
/** The answer to each read, by its path; null for a read whose answers differ even without damage. */
type Answers = Map<string, string | null>;

/** Makes a folder with samples, stops the service in this way, and records the answers of a start without damage. */
async function stoppedFolder(
  arena: Arena,
  how: "stop" | "kill -9",
  settings: Claim & Record<string, string>,
  { agent, platform }: Pick<Parameters<typeof fillWithSamples>[0], "agent" | "platform">,
): Promise<Stopped> {
  const dataDir = join(arena.folder, `base of ${how}`);
  const draws = arena.draws.named(how);
  const service = arena.launch({ dataDir, settings });
  const url = await service.serving;
  const reads = await fillWithSamples({ url, claim: settings, draws, agent, platform });
  if (how === "stop") await service.stop();
  else {
    // A kill leaves these newest records in the journals of the stores.
    const client = clientOf(url, keysIn(settings).projectKey);
    for (let body = 0; body < 3; body++) await client.traces.ingest(newBody(draws, 8).send);
    await client.suites.create({ name: "Made just before the end" });
    await allIsRead(url, keysIn(settings).projectKey);
    await service.kill();
  }
  const answers: Answers = new Map();
  for (let start = 0; start < 2; start++) {
    const copy = copyOf(arena, dataDir);
    const again = arena.launch({ dataDir: copy, settings });
    const againUrl = await again.serving;
    await allIsRead(againUrl, keysIn(settings).projectKey);
    for (const [path, answer] of await answersTo(againUrl, reads)) {
      if (start > 0 && answers.get(path) !== answer) answers.set(path, null);
      else answers.set(path, answer);
    }
    await again.kill();
    rmSync(copy, { recursive: true, force: true });
  }
  const unstable = [...answers].filter(([, answer]) => answer === null).map(([path]) => path);
  if (unstable.length > 0) arena.note(`answers that differ without damage are not compared: ${unstable.join(", ")}`);
  arena.figure(`reads after ${how}`, String(answers.size - unstable.length));
  return { dataDir, how, reads, answers };
}

let copies = 0;
function copyOf(arena: Arena, dataDir: string): string {
  const copy = join(arena.folder, `copy-${++copies}`);
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

const isHarmless = (outcomes: readonly Outcome["is"][]): boolean =>
  outcomes.length >= HARMLESS_AFTER && outcomes.every((outcome) => outcome === "unchanged");

/**
 * Damages one file of each kind, starts the service, and returns the outcome for each kind. Unless the outcome is `unchanged`,
 * repeats this for each kind alone.
 */
async function damagedStart(
  arena: Arena,
  settings: Record<string, string>,
  start: Host["start"],
  { from, kinds }: { from: Stopped; kinds: readonly string[] },
  drawsOf: (kind: string) => Draws,
  usesKey: () => Promise<boolean>,
): Promise<[kind: string, outcome: Outcome["is"]][]> {
  const damaged = () => {
    const copy = copyOf(arena, from.dataDir);
    const damages = kinds.map((kind) => {
      const draws = drawsOf(kind);
      const file = draws.pick(filesIn(copy).filter((path) => kindOf(relative(copy, path)) === kind));
      const damage = arena.isPlanted ? "nothing, with a planted difference," : damageFile(file, draws);
      return `${damage} in ${kind}`;
    });
    return { copy, what: `${damages.join("; ")} after ${from.how}` };
  };
  const { copy, what } = damaged();
  const service = start({ dataDir: copy, settings, options: { pace: PACE } });
  const used = kinds.includes("encryption-key") ? usesKey() : Promise.resolve(true);
  let outcome = await outcomeOf(service, from.reads, from.answers, arena.isPlanted);
  if (outcome.is === "unchanged" && !(await used) && service.warnings().length === 0)
    outcome = { is: "silent", why: "the service no longer asks the platform" };
  await service.kill();
  rmSync(copy, { recursive: true, force: true });
  if (outcome.is !== "unchanged" && kinds.length > 1) {
    const each: [string, Outcome["is"]][] = [];
    for (const kind of kinds)
      each.push(...(await damagedStart(arena, settings, start, { from, kinds: [kind] }, drawsOf, usesKey)));
    return each;
  }
  for (const kind of kinds) {
    arena.trial();
    arena.count(outcome.is);
    arena.count(`${kind}: ${outcome.is}`);
  }
  if (outcome.is === "silent" || outcome.is === "bad") {
    const before = damaged().copy;
    arena.violation(`${what}: ${outcome.why}`, outcome, before);
    rmSync(before, { recursive: true, force: true });
  }
  return kinds.map((kind) => [kind, outcome.is]);
}

type Outcome = { is: "unchanged" | "refused" | "reported" | "silent" | "bad"; why: string; log?: unknown };

/** Returns the outcome of a start on damaged files. It is good when the answers are unchanged or the service reports the damage. */
async function outcomeOf(
  service: StartedService,
  reads: readonly Ask[],
  answers: Answers,
  isPlanted: boolean,
): Promise<Outcome> {
  const timer = setTimeout(() => void service.kill(), START_MS);
  const url = await service.serving.catch((error: Error) => error);
  clearTimeout(timer);
  if (typeof url !== "string") return refusalOf(url);
  const untilMs = performance.now() + HEAL_MS;
  for (;;) {
    const askedMs = performance.now();
    const now = await answersTo(url, reads).catch((error: Error) => error);
    if (now instanceof Error || !service.isAlive())
      return { is: "bad", why: `the service ended: ${service.errors().slice(0, 400)}`, log: service.log.slice(-20) };
    const differing = [...answers].filter(([path, answer]) => answer !== null && now.get(path) !== answer);
    if (isPlanted) differing.push(["/planted", "another answer"]);
    if (differing.length === 0) return { is: "unchanged", why: "" };
    const faults = differing.filter(([path]) => /^5(?!03)/.test(now.get(path) ?? ""));
    const why = differing.slice(0, 3).map(([path, answer]) => differenceOf(path, answer ?? "", now.get(path) ?? ""));
    const log = service.warnings().slice(0, 20);
    if (askedMs > untilMs) {
      if (faults.length > 0) return { is: "bad", why: `fault: ${why.join("; ")}`, log };
      if (
        log.length > 0 ||
        (await healthReports(url)) ||
        differing.some(([path, answer]) => noteAdded(answer ?? "", now.get(path) ?? ""))
      )
        return { is: "reported", why: log[0]?.msg ?? "degraded" };
      return { is: "silent", why: why.join("; "), log };
    }
    // After the service has reported the damage, it gets no more time to repair it, unless one of its answers is a fault.
    if (faults.length === 0 && (log.length > 0 || (await healthReports(url))))
      return { is: "reported", why: log[0]?.msg ?? "" };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const RAW =
  /\n\s+at |SQLITE_|SqliteError|IO Error|INTERNAL Error|Serialization Error|TypeError|RangeError|node:internal/;

export function refusalOf(error: Error): Outcome {
  const text = error instanceof NotStarted ? error.text : error.message;
  if (!(error instanceof NotStarted) || error.code !== 1)
    return { is: "bad", why: `no start and no refusal: ${text.slice(0, 300)}` };
  if (text.length < 40 || RAW.test(text))
    return { is: "bad", why: `a refusal without a sentence: ${text.slice(0, 300)}` };
  return { is: "refused", why: text.slice(0, 300) };
}

async function healthReports(url: string): Promise<boolean> {
  const { status, text } = await send(url, { method: "GET", path: "/health" });
  return status !== 200 || (JSON.parse(text) as { degraded?: boolean }).degraded === true;
}

/** Returns whether the notes on a conversation's data quality changed. */
function noteAdded(before: string, now: string): boolean {
  const qualityOf = (answer: string) =>
    JSON.stringify((JSON.parse(answer.slice(4) || "{}") as { quality?: unknown }).quality);
  return before.includes('"quality"') && now.startsWith("200") && qualityOf(before) !== qualityOf(now);
}

const VOLATILE = /"(last_used_at|lastUsedAt|last_received_at|request_id|requestId)":("[^"]*"|null)/g;

async function answersTo(url: string, reads: readonly Ask[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const ask of reads) {
    const { status, text } = await send(url, ask);
    answers.set(
      `${ask.path}${ask.cookie ? " with a session" : ""}`,
      `${status} ${text.replaceAll(VOLATILE, '"$1":0')}`,
    );
  }
  return answers;
}

function differenceOf(path: string, before: string, now: string): string {
  let at = 0;
  while (at < before.length && before[at] === now[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  return `${path}: "${around(now)}" instead of "${around(before)}"`;
}

/** Damages a file and returns a description of the damage. */
function damageFile(file: string, draws: Draws): string {
  const bytes = readFileSync(file);
  const at = draws.whole(0, bytes.length - 1);
  const sort = draws.next();
  if (sort < 0.7) {
    const bit = draws.whole(0, 7);
    bytes[at]! ^= 1 << bit;
    writeFileSync(file, bytes);
    return `bit ${bit} of byte ${at} flipped`;
  }
  if (sort < 0.85) {
    const length = draws.pick([16, 512, 4_096]);
    bytes.fill(0, at, Math.min(bytes.length, at + length));
    writeFileSync(file, bytes);
    return `${length} bytes from ${at} zeroed`;
  }
  writeFileSync(file, bytes.subarray(0, at));
  return `cut to ${at} of ${bytes.length} bytes`;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size > 0)
    .sort();

/** Returns the kind of a file: its name without numbers. */
const kindOf = (path: string): string => path.replaceAll(/\d+/g, "N");
const kindsIn = (folder: string): string[] => [
  ...new Set(filesIn(folder).map((path) => kindOf(relative(folder, path)))),
];
