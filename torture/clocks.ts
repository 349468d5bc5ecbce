import { rmSync } from "node:fs";
import { join } from "node:path";
import { attribute, encodeJson, oneSpan } from "../test/support/otlp.ts";
import { until } from "../test/support/until.ts";
import { setTimeout as delay } from "node:timers/promises";
import { ingestLoad } from "./loads/ingest.ts";
import type { Draws } from "./random.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

const DAY_MS = 86_400_000;
const LEAPS_DAYS = [31, 400, 40_000, -31, -400, -9_000];
const RUNNING_MS = 2_000;
const YEAR_MS = 366 * DAY_MS;

export const clocks: Scenario = {
  name: "clocks",
  shows: "a start with a wrong clock drops nothing and is logged, and absurd times in spans make no absurd measure",
  weight: 1,
  trials: "wrong clocks",
  goal: 200,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await leap(arena, arena.draws.named(`case ${number}`), number);
  },
};

async function leap(arena: Arena, draws: Draws, number: number): Promise<void> {
  const dataDir = join(arena.folder, `data-${number}`);
  const settings = claimed(draws, { SVC_RETENTION_DAYS: "30" });
  const projectKey = keysIn(settings).projectKey;
  const load = ingestLoad();
  const leapDays = draws.pick(LEAPS_DAYS);
  for (const offsetDays of [0, leapDays, 0]) {
    const service = arena.launch({ dataDir, settings, clock: { offsetMs: offsetDays * DAY_MS } });
    const url = await service.serving;
    const access = {
      url,
      projectKey,
      dataDir,
      client: clientOf(url, projectKey),
      admin: clientOf(url, keysIn(settings).adminKey),
      draws,
    };
    for (let step = 0; step < 6; step++) await load.step(access);
    await delay(RUNNING_MS);
    if (arena.isPlanted) load.plant();
    for (const lost of await load.faults(access)) arena.violation(`clock ${offsetDays} days off: ${lost}`);
    const isLogged = service.warnings().some(({ msg }) => /clock/.test(msg));
    if (offsetDays > 0 && !isLogged)
      arena.violation(`a clock ${offsetDays} days ahead is not logged`, service.log.slice(0, 20));
    if (offsetDays === 0) await absurdTimes(arena, draws, access.client);
    await service.stop();
  }
  arena.trial();
  arena.count("acknowledged facts", load.acknowledged());
  rmSync(dataDir, { recursive: true, force: true });
}

const NANOSECONDS = ["0", "1", "1000", "4102444800000000000", "9223372036854775807", "18446744073709551615"];

/** Sends a turn with impossible times, and expects no duration below zero or above a year. */
async function absurdTimes(arena: Arena, draws: Draws, client: ReturnType<typeof clientOf>): Promise<void> {
  const traceId = draws.hex(32);
  const now = String(BigInt(Date.now()) * 1_000_000n);
  const times = [...NANOSECONDS, now];
  const spans = ["agent_session", "user_turn", "agent_turn", "function_tool", "llm_node"].map((name) => ({
    ...oneSpan().resourceSpans![0]!.scopeSpans![0]!.spans![0]!,
    traceId,
    spanId: draws.hex(16),
    name,
    startTimeUnixNano: draws.pick(times),
    endTimeUnixNano: draws.pick(times),
    attributes: [
      attribute("lk.pii.user_transcript", "hello"),
      attribute("lk.pii.response.text", "hi"),
      attribute("lk.function_tool.name", "book"),
    ],
  }));
  const body = encodeJson({ resourceSpans: [{ scopeSpans: [{ scope: { name: "livekit-agents" }, spans }] }] });
  await client.traces.ingest({ body, contentType: "application/json" });
  const trace = await until("the conversation is derived", () => client.traces.get({ traceId })).catch(() => undefined);
  arena.count("conversations with absurd times");
  if (trace === undefined) return arena.count("refused conversations");
  const { spans: _, ...read } = trace;
  const absurd = numbersIn(read).filter(
    ([path, value]) => /ms$|latency|duration|mean|p50|p95|max|value/i.test(path) && Math.abs(value) > YEAR_MS,
  );
  const negative = numbersIn(read).filter(([path, value]) => path.endsWith("durationMs") && value < 0);
  for (const [path, value] of [...absurd, ...negative])
    arena.violation(`an absurd time is shown: ${path} is ${value}`, { spans, read });
}

const numbersIn = (value: unknown, path = ""): [path: string, value: number][] =>
  typeof value === "number"
    ? [[path, value]]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, child]) => numbersIn(child, `${path}.${name}`))
      : [];
