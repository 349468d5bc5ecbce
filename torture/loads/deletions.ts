import { createClient, SvcError, pages } from "@svc/sdk";
import type { Client, OtlpBody } from "@svc/sdk";
import { requestOf } from "../../test/support/ingest.ts";
import { attribute, encodeProtobuf, type OtlpSpan } from "../../test/support/otlp.ts";
import { filesWith } from "../../test/support/stored-bytes.ts";
import type { Draws } from "../random.ts";
import { wordsOf } from "./ingest.ts";
import { type Access, isUnknown, lastingFaults, type Load } from "./load.ts";

/** `open` means that the service has not answered the deletion yet. */
type Conversation = { traceId: string; job: string; spans: number; text: string; state: "live" | "open" | "deleted" };
type Pair = { kept: Conversation; victim: Conversation };

const PAUSE_MS = 60;
const LIVE_PAIRS_MAX = 4;
const SAMPLE = 8;

/**
 * Sends bodies with two conversations each, deletes one of the two, and then sends more spans of the deleted one. The acknowledged
 * facts are both conversations and the deletion.
 */
export function deletionLoad(): Load {
  const pairs: Pair[] = [];
  /** Bodies that have no answer yet. */
  const waiting: { pair: Pair; body: OtlpBody }[] = [];
  let projectKey = "";

  const clientAt = (url: string): Client => createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
  const victimsIn = (...states: Conversation["state"][]) =>
    pairs.flatMap(({ victim }) => (states.includes(victim.state) ? [victim] : []));

  async function prepare({ admin }: Access): Promise<void> {
    const { project } = await admin.projects.create({ name: "Deletions" });
    projectKey = (await admin.keys.create({ project_id: project.id })).secret;
  }

  async function step({ url, draws }: Access): Promise<void> {
    const client = clientAt(url);
    const victims = victimsIn("live", "open");
    const deleted = victimsIn("deleted");
    const unanswered = waiting.shift();
    if (unanswered !== undefined) await send(client, unanswered);
    else if (victims.length < LIVE_PAIRS_MAX) {
      const pair = { kept: newConversation(draws), victim: newConversation(draws) };
      await send(client, { pair, body: bodyOf(draws, pair.kept, pair.victim) });
    } else if (deleted.length > 0 && draws.next() < 0.2) {
      const late = draws.pick(deleted);
      // Spans of a deleted conversation are dropped even in a new trace, because they have the conversation's name.
      const traceId = draws.next() < 0.5 ? late.traceId : newTraceId(draws);
      await client.traces.ingest(bodyOf(draws, { ...late, traceId }));
    } else await deleteOne(client, draws.pick(victims));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }

  async function send(client: Client, sent: (typeof waiting)[number]): Promise<void> {
    try {
      await client.traces.ingest(sent.body);
      pairs.push(sent.pair);
    } catch (error) {
      if (isUnknown(error)) waiting.push(sent);
      throw error;
    }
  }

  async function deleteOne(client: Client, victim: Conversation): Promise<void> {
    try {
      await client.traces.delete({ traceId: victim.traceId });
      victim.state = "deleted";
    } catch (error) {
      if (isUnknown(error)) victim.state = "open";
      // A conversation that the service has not read yet cannot be found either.
      if (!isNotFound(error)) throw error;
      if (victim.state === "open") victim.state = "deleted";
    }
  }

  async function faults(access: Access): Promise<string[]> {
    const { url, draws, dataDir } = access;
    const client = clientAt(url);
    for (const unanswered of waiting.splice(0)) await send(client, unanswered);
    // A deletion without an answer either happened or did not. The service's start has finished a deletion that began.
    for (const victim of victimsIn("open")) victim.state = (await isThere(client, victim.traceId)) ? "live" : "deleted";
    const present = pairs.flatMap(({ kept, victim }) => (victim.state === "live" ? [kept, victim] : [kept]));
    const erased = victimsIn("deleted");
    const found = await lastingFaults(access, async () => faultsOfList(present, erased, await listed(client)));
    if (found.length > 0) return found;
    for (let sample = 0; sample < Math.min(SAMPLE, present.length); sample++)
      found.push(...(await wordsOf(client, draws.pick(present))));
    for (const { traceId } of erased)
      if (await isThere(client, traceId)) found.push(`deletions: ${traceId} is there again`);
    const inFiles = async () =>
      erased.flatMap(({ traceId, text }) => {
        const files = Object.keys(filesWith(dataDir, text));
        return files.length > 0 ? [`deletions: the text of ${traceId} is in ${files.join(", ")}`] : [];
      });
    found.push(...(await lastingFaults(access, inFiles)));
    return found;
  }

  return {
    name: "deletions",
    prepare,
    step,
    faults,
    acknowledged: () => 2 * pairs.length + victimsIn("deleted").length,
    plant: () => {
      const [one] = pairs;
      if (one !== undefined) one.kept.state = "deleted";
      pairs.push({ kept: PLANTED, victim: PLANTED });
    },
  };
}

const PLANTED: Conversation = { traceId: "f".repeat(32), job: "planted", spans: 1, text: "planted", state: "live" };

/** Returns the faults of a project's list of conversations. */
export function faultsOfList(
  present: readonly Conversation[],
  erased: readonly Conversation[],
  list: readonly { traceId: string; spanCount: number }[],
): string[] {
  const stored = new Map(list.map(({ traceId, spanCount }) => [traceId, spanCount]));
  const known = new Set(present.map(({ traceId }) => traceId));
  return [
    ...present
      .filter(({ traceId, spans }) => stored.get(traceId) !== spans)
      .map(({ traceId, spans }) => `deletions: ${traceId} has ${stored.get(traceId) ?? 0} of ${spans} spans`),
    ...erased
      .filter(({ traceId }) => stored.has(traceId))
      .map(({ traceId }) => `deletions: ${traceId} is listed again`),
    ...list.filter(({ traceId }) => !known.has(traceId)).map(({ traceId }) => `deletions: ${traceId} is strange`),
    ...(stored.size < list.length ? ["deletions: a conversation is listed twice"] : []),
  ];
}

async function listed(client: Client): Promise<{ traceId: string; spanCount: number }[]> {
  const all: { traceId: string; spanCount: number }[] = [];
  for await (const { traceId, spanCount } of pages(client.traces.list, { pageSize: 200 }))
    all.push({ traceId, spanCount });
  return all;
}

const isNotFound = (error: unknown): boolean => error instanceof SvcError && error.status === 404;

async function isThere(client: Client, traceId: string): Promise<boolean> {
  try {
    await client.traces.get({ traceId, wait: 30 });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const newTraceId = (draws: Draws): string => draws.hex(32).replace(/^0/, "7");

function newConversation(draws: Draws): Conversation {
  const traceId = newTraceId(draws);
  return {
    traceId,
    job: `job-${draws.hex(12)}`,
    spans: draws.whole(1, 12),
    text: `canary ${draws.hex(20)}`,
    state: "live",
  };
}

function bodyOf(draws: Draws, ...conversations: Conversation[]): OtlpBody {
  const startNs = BigInt(Date.now() - 120_000) * 1_000_000n;
  const spans = conversations.flatMap(({ traceId, job, spans: count, text }) =>
    Array.from({ length: count }, (_, at): OtlpSpan => ({
      traceId,
      spanId: draws.hex(16).replace(/^0/, "7"),
      name: at === 0 ? "job_entrypoint" : "user_turn",
      startTimeUnixNano: String(startNs + BigInt(at) * 1_000_000n),
      endTimeUnixNano: String(startNs + BigInt(at) * 1_000_000n + 500_000n),
      attributes: [
        attribute("lk.job_id", job),
        attribute("note", `${text} ${at}`),
        attribute("lk.pii.user_transcript", `I say the ${text} ${at}`),
      ],
    })),
  );
  return { body: encodeProtobuf(requestOf(spans)), contentType: "application/x-protobuf" };
}
