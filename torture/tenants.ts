import { allOperations, type Operation } from "@svc/contract";
import type { z } from "zod";
import { INPUTS, type OperationName } from "../test/support/operation-inputs.ts";
import { askOf, type FlatInput, projectMember } from "../test/support/operation-request.ts";
import { type Ask, type Reply, send } from "../test/support/request.ts";
import { freshName, openWorld, type World } from "../test/support/world.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { startsChild } from "./world.ts";

export const tenants: Scenario = {
  name: "tenants",
  shows: "another organization's record and a missing one get the same answer, for every operation and credential",
  weight: 3,
  trials: "pairs of answers",
  goal: Infinity,
  async run(arena) {
    const w = await openWorld(startsChild(arena));
    const ids = await idsOf(w);
    const order = arena.isLong ? [...allOperations] : arena.draws.shuffled(allOperations);
    const waiting = [...order];
    while (waiting.length > 0 && (arena.goesOn() || arena.result.trialCount === 0))
      await compareOperation(arena, w, ids, waiting.shift()!);
    arena.figure("operations", `${order.length - waiting.length} of ${order.length}`);
    await w.stop();
  },
};

type Caller = { name: string; credential: Partial<Ask>; isForeign: boolean };

/** Returns every credential. Those of other tenants must not reveal whether a record of Acme's first project exists. */
const callersOf = (w: World): Caller[] => [
  { name: "no credential", credential: {}, isForeign: true },
  { name: "another organization's key", credential: { key: w.stranger.key }, isForeign: true },
  { name: "another organization's project key", credential: { key: w.strangersProjectKey }, isForeign: true },
  { name: "another organization's session", credential: { cookie: w.stranger.cookie }, isForeign: true },
  { name: "another project's key", credential: { key: w.otherProjectKey }, isForeign: true },
  { name: "revoked key", credential: { key: w.revokedKey }, isForeign: true },
  { name: "removed member's key", credential: { key: w.removed.key }, isForeign: true },
  { name: "removed member's session", credential: { cookie: w.removed.cookie }, isForeign: true },
  { name: "viewer's key", credential: { key: w.viewer.key }, isForeign: false },
  { name: "member's key", credential: { key: w.member.key }, isForeign: false },
  { name: "admin's session", credential: { cookie: w.adminCookie }, isForeign: false },
];

/** These operations name no record of an organization, and each request hashes a password, which is slow. */
const HASHING = /^accounts\.sign(Up|In)$/;
/** These operations end the session of the caller, which later operations need. The tenancy specs use a new person for each of them. */
const ENDING_SESSIONS = /^accounts\.(signOut|revokeSessions|changePassword|leaveOrganization|deleteUser)$/;
/** Everybody who knows the id of an organization may start a sign-in at its identity provider, because nobody is signed in yet. */
const FOR_EVERYBODY = /^singleSignOn\.start$/;
/** A key of another project of the same organization may see the organization's own records. */
const OWN_ORGANIZATION = new Set(["another project's key"]);

/** Operations whose inputs together contain one id of each kind. */
const WITH_IDS: OperationName[] = [
  "projects.edit",
  "suites.get",
  "tests.get",
  "tests.version",
  "personas.version",
  "personas.get",
  "connections.get",
  "mockTools.get",
  "runs.get",
  "simulations.get",
  "graders.get",
];

/** Returns one id of each kind, all of Acme's first project. */
async function idsOf(w: World): Promise<string[]> {
  const ids: string[] = [];
  for (const name of WITH_IDS) ids.push(...idsIn(await INPUTS[name](w)));
  return [...new Set(ids)];
}

/** Without these times, an answer of metrics would contain the time of the request. */
const FIXED_TIMES = { from: "2026-01-01T00:00:00Z", to: "2026-01-08T00:00:00Z" };
const REFERRING = /suite|agent|persona|run|test|connection|grader|version|project|key|user/i;

/** Returns several inputs. Each adds one further member of the query or body that accepts an id. */
function withReferences(op: Operation, input: FlatInput, ids: readonly string[]): [place: string, theirs: FlatInput][] {
  const members = { ...op.query?.shape, ...(op.body !== "otlp" && op.body?.shape) };
  return Object.entries(members).flatMap(([member, schema]) => {
    if (member in input || !REFERRING.test(member)) return [];
    const values = [...ids, ...ids.map((id) => [id])].filter((value) => (schema as z.ZodType).safeParse(value).success);
    return values.map((value): [string, FlatInput] => [
      `with ${member} ${String(value)}`,
      { ...input, [member]: value },
    ]);
  });
}

async function compareOperation(
  arena: Arena,
  w: World,
  ids: readonly string[],
  { name, operation: op }: (typeof allOperations)[number],
): Promise<void> {
  const callers = callersOf(w);
  const input = { ...(await INPUTS[name as OperationName](w)), ...(name === "metrics.get" && FIXED_TIMES) };
  const member = projectMember(op);
  const inputs: [place: string, theirs: FlatInput][] = [["without a project", input]];
  if (member !== undefined) inputs.push(["with the project", { ...input, [member]: w.project.id }]);
  inputs.push(...withReferences(op, input, ids));
  for (const { name: caller, credential, isForeign } of callers) {
    if (HASHING.test(name) && caller !== "no credential") continue;
    if (ENDING_SESSIONS.test(name) && caller === "admin's session") continue;
    for (const [place, theirs] of inputs) {
      if (isForeign && !FOR_EVERYBODY.test(name) && !(OWN_ORGANIZATION.has(caller) && op.scope !== "project"))
        await comparePair(arena, w, op, `${name} ${place} for ${caller}`, credential, theirs);
      else await noFault(arena, w, op, `${name} ${place} for ${caller}`, credential, theirs);
    }
  }
  arena.count("operations");
}

/** Sends requests with ids of Acme, and the same requests with ids that do not exist, replacing one kind of id after the other. */
async function comparePair(
  arena: Arena,
  w: World,
  op: Operation,
  what: string,
  credential: Partial<Ask>,
  theirs: FlatInput,
) {
  const ids = idsIn(theirs);
  const variants = [...ids.map((id) => [id]), ...(ids.length > 1 ? [ids] : [])];
  for (const replaced of variants) {
    const missing = withOtherName(withoutIds(theirs, replaced));
    const first = await send(w.url, { ...askOf(op, withOtherName(theirs)), ...credential });
    const second = await send(w.url, { ...askOf(op, missing), ...credential });
    arena.trial();
    if (arena.isPlanted) first.text += "planted";
    const faults = faultsOfPair(first, second, replaced, op.method !== "GET");
    // The list may have grown between the two requests. If so, the first request has another answer now.
    const mayHaveGrown = faults.length > 0 && op.method === "GET" && first.status < 400 && second.status < 400;
    const again = mayHaveGrown ? await send(w.url, { ...askOf(op, theirs), ...credential }) : first;
    if (mayHaveGrown && arena.isPlanted) again.text += "planted";
    if (isSameAnswer(first, again, replaced)) {
      for (const fault of faults)
        arena.violation(`${what}: ${fault}`, { theirs, missing, one: first.text, two: second.text });
    } else arena.count("answers that changed meanwhile");
  }
}

/**
 * Returns how the answer about another tenant's records differs from the answer about records that do not exist, with the replaced
 * ids. Only a successful change may differ, because each success changes the caller's own records.
 */
export function faultsOfPair(theirs: Reply, missing: Reply, replaced: readonly string[], isChange = false): string[] {
  const faults: string[] = [];
  for (const { status } of [theirs, missing]) if (status >= 500) faults.push(String(status));
  if (theirs.status !== missing.status) {
    faults.push(`${theirs.status} for theirs, ${missing.status} for a missing one`);
  } else if (!(isChange && theirs.status < 400)) {
    if (visible(theirs, replaced) !== visible(missing, replaced.map(missingFor))) faults.push("the bytes differ");
  }
  return faults;
}

const isSameAnswer = (one: Reply, two: Reply, echoes: readonly string[]): boolean =>
  one === two || visible(one, echoes) === visible(two, echoes);

async function noFault(
  arena: Arena,
  w: World,
  op: Operation,
  what: string,
  credential: Partial<Ask>,
  input: FlatInput,
) {
  const reply = await send(w.url, { ...askOf(op, input), ...credential });
  arena.count("other requests");
  if (reply.status >= 500) arena.violation(`${what}: ${reply.status}`, { input, text: reply.text });
}

const ID = /\b[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}\b|\b[0-9a-f]{32}\b/g;
const idsIn = (input: FlatInput): string[] => [...new Set(JSON.stringify(input).match(ID))];

const missingFor = (id: string): string =>
  id.includes("_") ? `${id.split("_")[0]}_06ft2v8xk3n9q4w7r1y5z0abcd` : "e".repeat(32);

/** Replaces the name in an input by one that no record has, because an earlier request may have created a record with the name. */
const withOtherName = (input: FlatInput): FlatInput =>
  typeof input["name"] === "string" ? { ...input, name: freshName(input["name"].split(" ")[0]!) } : input;

/** Replaces these ids of an input by ids of the same form that do not exist. */
function withoutIds(input: FlatInput, ids: readonly string[]): FlatInput {
  const text = ids.reduce((changed, id) => changed.replaceAll(id, missingFor(id)), JSON.stringify(input));
  return JSON.parse(text) as FlatInput;
}

const PER_REQUEST = new Set(["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"]);

/** Returns the bytes of an answer, without its request id and the ids that the request named. */
function visible({ status, headers, text }: Reply, echoes: readonly string[]): string {
  const shown = [...headers].filter(([header]) => !PER_REQUEST.has(header));
  const requestId = headers.get("x-request-id") ?? "none";
  const echoed = echoes.reduce((shorter, id) => shorter.replaceAll(id, "the id"), text);
  return JSON.stringify([status, shown, echoed.replaceAll(requestId, "request id")]);
}
