import { setTimeout as delay } from "node:timers/promises";
import { allOperations, type Operation } from "@svc/contract";
import { SvcError } from "@svc/sdk";
import { useEveryOperation } from "../test/support/every-operation.ts";
import { hostileBodies } from "../test/support/expensive-bodies.ts";
import { INPUTS, type OperationName } from "../test/support/operation-inputs.ts";
import { askOf } from "../test/support/operation-request.ts";
import { type Ask, type Reply, send } from "../test/support/request.ts";
import { openWorld, type World } from "../test/support/world.ts";
import { type Body, mutated } from "./mutations.ts";
import type { Draws } from "./random.ts";
import { faultsOfMemory } from "./readers.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { startsChild } from "./world.ts";

const BODIES_EACH_ROUND = 400;
const AT_ONCE = 4;
/** Share of the bodies that are valid but for one place, which is full of one thing. */
const HOSTILE_SHARE = 0.2;
const HOSTILE_BYTES = [1_000, 1_000, 10_000, 10_000, 100_000, 1_000_000];
const SETTLE_MS = 3_000;

/** An operation with a valid request of it. */
type Target = { name: string; operation: Operation; ask: Ask; body: Body };
type Slowest = { ms: number; what: string };

export const operationBodies: Scenario = {
  name: "operation-bodies",
  shows: "no mutated body of any operation gets a 5xx, ends the service, or makes its memory grow by 300 MB",
  weight: 2,
  trials: "mutated bodies",
  goal: 100_000,
  async run(arena) {
    const w = await openWorld(startsChild(arena));
    await useEveryOperation(w);
    await delay(SETTLE_MS);
    const idleMb = arena.rssMb();
    let mostMb = idleMb;
    const sampling = setInterval(() => (mostMb = Math.max(mostMb, arena.rssMb())), 50);
    let slowest: Slowest = { ms: 0, what: "none" };
    const known = new Map<string, Target>();
    for (let round = 0; arena.goesOn(); round++) {
      const draws = arena.draws.named(`round ${round}`);
      const targets = await targetsOf(w, known);
      let waiting = BODIES_EACH_ROUND;
      const sender = async () => {
        while (waiting-- > 0) {
          const one = await sendOne(arena, w, draws, targets);
          if (one.ms > slowest.ms) slowest = one;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      const health = await send(w.url, { method: "GET", path: "/health" }).catch(String);
      if (typeof health === "string") {
        arena.violation(`the service ended: ${health}`);
        break;
      }
      if (arena.isPlanted) arena.violation("planted: a body was answered with 500");
    }
    clearInterval(sampling);
    for (const fault of faultsOfMemory(idleMb, mostMb)) arena.violation(fault);
    arena.figure("memory above idle", `${Math.round(mostMb - idleMb)} MB`);
    arena.figure("slowest answer", `${Math.round(slowest.ms)} ms, ${slowest.what}`);
    await w.stop();
  },
};

/**
 * Returns the operations with a JSON body, each with a valid request. Those of accounts hash passwords, which is slow by design. An
 * operation keeps its former request when a mutated body has taken a name that a new one needs.
 */
async function targetsOf(w: World, known: Map<string, Target>): Promise<Target[]> {
  for (const { name, operation } of allOperations) {
    if (operation.tag === "Accounts" || operation.body === undefined || operation.body === "otlp") continue;
    try {
      const input = await INPUTS[name as OperationName](w);
      const { json, ...ask } = askOf(operation, { project: w.project.id, projectId: w.project.id, ...input });
      const body: Body = { bytes: Buffer.from(JSON.stringify(json)), encoding: "json", gzip: false };
      const key = operation.permission === "ingest" ? w.projectKey : w.adminKey;
      known.set(name, { name, operation, ask: { ...ask, key }, body });
    } catch (error) {
      if (!(error instanceof SvcError) || error.status >= 500 || !known.has(name)) throw error;
    }
  }
  return [...known.values()];
}

async function sendOne(arena: Arena, w: World, draws: Draws, targets: readonly Target[]): Promise<Slowest> {
  const { name, operation, ask, body } = draws.pick(targets);
  const bodies = targets.map((target) => target.body);
  const hostile =
    draws.next() < HOSTILE_SHARE
      ? draws.pick(hostileBodies(operation, JSON.parse(body.bytes.toString()), draws.pick(HOSTILE_BYTES)))()
      : undefined;
  const bytes = hostile === undefined ? mutated(draws, body, bodies).bytes : Buffer.from(hostile.text);
  const what = `${name}, ${hostile?.what ?? "mutated bytes"}, ${bytes.length} bytes`;
  const startedMs = performance.now();
  const headers = { "content-type": "application/json" };
  const reply = await send(w.url, { ...ask, body: bytes, headers }).catch(String);
  const ms = performance.now() - startedMs;
  arena.trial();
  arena.count(typeof reply === "string" ? "no answer" : `answers ${reply.status}`);
  const fault = faultOf(reply);
  if (fault !== undefined) arena.violation(`${name}: ${fault}`, { what, body: bytes.toString("base64") });
  return { ms, what };
}

/** Returns why the answer to a mutated body is wrong; undefined for a declared refusal, and for a body that was still valid. */
export function faultOf(reply: Reply | string): string | undefined {
  if (typeof reply === "string") return `no answer: ${reply}`;
  const { status, text } = reply;
  if (status >= 500 && !(status === 503 && text.includes('"provider_unavailable"'))) return `the status is ${status}`;
  if (status < 400) return undefined;
  try {
    const { error, message } = JSON.parse(text) as { error?: unknown; message?: unknown };
    return typeof error === "string" && typeof message === "string"
      ? undefined
      : "the refusal has no error or no message";
  } catch {
    return "the refusal is no JSON";
  }
}
