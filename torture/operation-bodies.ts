import { setTimeout as delay } from "node:timers/promises";
import { allOperations, type Operation } from "@svc/contract";
import { SvcError } from "@svc/sdk";
import { readAsk } from "../test/http/refusals/row.ts";
import { useEveryOperation } from "../test/support/every-operation.ts";
import { hostileBodies } from "../test/support/expensive-bodies.ts";
import { INPUTS, type OperationName } from "../test/support/operation-inputs.ts";
import { askOf } from "../test/support/operation-request.ts";
import { cookieOf, PASSWORD } from "../test/support/people.ts";
import { type Ask, type Reply, send } from "../test/support/request.ts";
import { openWorld, type World } from "../test/support/world.ts";
import { type Body, mutated } from "./mutations.ts";
import type { Draws } from "./random.ts";
import { faultsOfMemory } from "./readers.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { startsChild } from "./world.ts";

const BODIES_EACH_ROUND = 400;
const AT_ONCE = 4;
/** The share of bodies that are valid except at one place, which has very many values of one kind. */
const HOSTILE_SHARE = 0.2;
const HOSTILE_BYTES = [1_000, 1_000, 10_000, 10_000, 100_000, 1_000_000];
const SETTLE_MS = 3_000;
/** The longest time for an answer in the long form. The short form has no such limit, because answers are late on a busy machine. */
const ANSWER_MS = 2_000;

/** Operations that the scenario leaves out, with the reasons. */
const LEFT_OUT: Partial<Record<OperationName, string>> = {
  "accounts.signUp": "a body that is still valid hashes a password, which is slow by design",
  "accounts.signIn": "a body that is still valid hashes a password",
  "accounts.changePassword": "a body that is still valid hashes two passwords",
  "accounts.deleteUser":
    "a body that is still valid hashes a password, and a right one deletes the person who sends it",
  "secondFactor.enable": "a body that is still valid hashes a password",
  "passkeys.options": "a body that is still valid hashes a password",
};
/** Operations whose answers wait for another host, with the reasons. A mutated address may belong to a host that does not answer. */
const WAITS_FOR_HOST: Partial<Record<OperationName, string>> = {
  "singleSignOn.set": "reads the configuration of the identity provider in the body",
  "connections.try": "talks with an agent",
};
/** After this operation, the sender has no session. A separate person sends it, and signs in again. */
const ENDS_SESSIONS = "accounts.revokeSessions" satisfies OperationName;
/** The statuses of refusals for which the service does not read the body. */
const UNREAD = new Set([401, 403, 429]);

/** An operation and a valid request for it. */
type Target = { name: string; operation: Operation; ask: Ask; body: Body };
type Slowest = { ms: number; what: string };

export const operationBodies: Scenario = {
  name: "operation-bodies",
  shows:
    "no mutated body of any operation gets a 5xx, ends the service, makes its memory grow by 300 MB, or (long form) waits 2 s for its answer",
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
    const read = new Set<string>();
    for (let round = 0; arena.goesOn(); round++) {
      const draws = arena.draws.named(`round ${round}`);
      const targets = await targetsOf(w, known);
      let waiting = BODIES_EACH_ROUND;
      const sender = async () => {
        while (waiting-- > 0) {
          const one = await sendOne(arena, w, draws, targets, read);
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
    const unread = [...known.keys()].filter((name) => !read.has(name));
    arena.figure("operations", `${known.size}, without ${Object.keys(LEFT_OUT).join(", ")}`);
    arena.figure("operations of which no body was read", unread.join(", ") || "none");
    arena.figure("memory above idle", `${Math.round(mostMb - idleMb)} MB`);
    arena.figure("slowest answer", `${Math.round(slowest.ms)} ms, ${slowest.what}`);
    await w.stop();
  },
};

/**
 * Returns the operations with a JSON body, each with a valid request. An operation keeps its earlier request if its new request is
 * refused, for example because a mutated body has taken its name.
 */
async function targetsOf(w: World, known: Map<string, Target>): Promise<Target[]> {
  for (const { name, operation } of allOperations) {
    if (name in LEFT_OUT || operation.body === undefined || operation.body === "otlp") continue;
    try {
      const input = await INPUTS[name as OperationName](w);
      const { json, ...ask } = askOf(operation, { project: w.project.id, projectId: w.project.id, ...input });
      const body: Body = { bytes: Buffer.from(JSON.stringify(json)), encoding: "json", gzip: false };
      known.set(name, { name, operation, ask: await withCredential(w, name, operation, ask), body });
    } catch (error) {
      if (!(error instanceof SvcError) || error.status >= 500 || !known.has(name)) throw error;
    }
  }
  return [...known.values()];
}

/** Adds a credential to a request. `send` gives each request of a public operation a new client address. */
async function withCredential(w: World, name: string, operation: Operation, ask: Ask): Promise<Ask> {
  return name === ENDS_SESSIONS ? { ...ask, cookie: w.viewer.cookie } : readAsk(w, { name, operation }, ask);
}

/** Sends a mutated body of one operation. Adds the operation to `read` when the service has read the body. */
async function sendOne(
  arena: Arena,
  w: World,
  draws: Draws,
  targets: readonly Target[],
  read: Set<string>,
): Promise<Slowest> {
  const target = draws.pick(targets);
  const { name, operation, ask, body } = target;
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
  const late = arena.isLong ? faultOfTime(name, ms) : undefined;
  for (const each of [fault, late])
    if (each !== undefined) arena.violation(`${name}: ${each}`, { what, body: bytes.toString("base64") });
  if (typeof reply === "string") return { ms, what };
  if (!UNREAD.has(reply.status)) read.add(name);
  if (reply.status === 401 && name === ENDS_SESSIONS) await signInAgain(arena, w, target);
  return { ms, what };
}

/** Gives the target the cookie of a new session. Another sender may end the session before the sign-in is answered. */
async function signInAgain(arena: Arena, w: World, target: Target): Promise<void> {
  const json = { email: w.viewer.email, password: PASSWORD };
  const reply = await send(w.url, { method: "POST", path: "/api/auth/sign-in/email", json }).catch(String);
  const fault = faultOf(reply);
  if (fault !== undefined) arena.violation(`accounts.signIn: ${fault}`);
  if (typeof reply !== "string" && reply.status === 200) target.ask = { ...target.ask, cookie: cookieOf(reply) };
}

/** Returns why the answer took too long; undefined for an answer in time, and for one that waits for another host. */
export const faultOfTime = (name: string, ms: number): string | undefined =>
  ms <= ANSWER_MS || name in WAITS_FOR_HOST ? undefined : `the answer came after ${Math.round(ms)} ms`;

/** Returns why the answer to a mutated body is wrong; undefined for a declared refusal, and when the body was still valid. */
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
