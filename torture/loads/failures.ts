import { setTimeout as delay } from "node:timers/promises";
import { createClient, pages } from "@svc/sdk";
import { requestOf, traceIdOf } from "../../test/support/ingest.ts";
import { encodeProtobuf } from "../../test/support/otlp.ts";
import { conversation } from "../../test/support/production.ts";
import { type Access, lastingFaults, type Load } from "./load.ts";

/** The review queue holds at most 1,000 open conversations. */
const CONVERSATIONS_MAX = 900;
const PLANTED = 1_000_000;

/** Wrong statements of the agent. Each kind of statement must become one group. */
const KINDS: readonly ((number: number) => string)[] = [
  (room) => `I guarantee that room ${room} is free.`,
  (amount) => `We guarantee you get your money back: $${amount}.`,
  (floor) => `The kitchen on floor ${floor} has fresh fish with a guarantee.`,
];

/**
 * Sends production conversations that one grader fails, and follows each to its grade, its failure group and the review queue. The
 * acknowledged facts are the conversations.
 */
export function failureLoad(): Load {
  const acknowledged = new Set<number>();
  let sent = 0;
  let projectKey = "";

  const clientAt = (url: string) => createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });

  async function prepare({ url, admin }: Access): Promise<void> {
    const project_id = (await admin.projects.create({ name: "Failures" })).project.id;
    projectKey = (await admin.keys.create({ project_id, name: "first" })).secret;
    const client = clientAt(url);
    const definition = { kind: "check", check: 'never says "guarantee"' } as const;
    const { grader } = await client.graders.create({ name: "No guarantee", definition, scope: "production" });
    const sources = ["random" as const];
    await client.review.configure({ enabled: true, sources, randomShare: 1, graderIds: [grader.id] });
  }

  async function step({ url }: Access): Promise<void> {
    await delay(20);
    if (sent === CONVERSATIONS_MAX) return;
    const number = ++sent;
    const body = encodeProtobuf(requestOf(conversation(number, KINDS[number % KINDS.length]!(number))));
    await clientAt(url).traces.ingest({ body, contentType: "application/x-protobuf" });
    acknowledged.add(number);
  }

  function faults(access: Access): Promise<string[]> {
    const client = clientAt(access.url);
    return lastingFaults(access, async () => {
      const found: string[] = [];
      const groupOf = new Map<string, string>();
      for await (const { id, size } of pages(client.groups.list, { pageSize: 200 })) {
        let members = 0;
        for await (const { traceId } of pages(client.groups.members, { groupId: id, pageSize: 200 })) {
          members++;
          if (traceId === null) continue;
          if (groupOf.has(traceId)) found.push(`failures: ${traceId} is in two groups, or twice in one`);
          groupOf.set(traceId, id);
        }
        if (members !== size) found.push(`failures: a group of ${size} has ${members} conversations`);
      }
      const queued = new Map<string, number>();
      for await (const { traceId, gradeIds } of pages(client.review.list, { pageSize: 200 })) {
        if (traceId === null) continue;
        if (queued.has(traceId)) found.push(`failures: ${traceId} is twice in the review queue`);
        queued.set(traceId, gradeIds.length);
      }
      const kinds = KINDS.map(() => new Set<string>());
      for (const number of acknowledged) {
        const traceId = traceIdOf(number);
        const group = groupOf.get(traceId);
        if (group === undefined) found.push(`failures: ${traceId} is in no group`);
        else kinds[number % KINDS.length]!.add(group);
        if (queued.get(traceId) !== 1)
          found.push(`failures: the review queue has ${queued.get(traceId) ?? 0} grades of ${traceId}`);
      }
      for (const [kind, groups] of kinds.entries())
        if (groups.size > 1) found.push(`failures: sentences of kind ${kind} are in ${groups.size} groups`);
      const all = kinds.flatMap((groups) => [...groups]);
      if (new Set(all).size < all.length) found.push("failures: sentences of two kinds are in one group");
      return found;
    });
  }

  return {
    name: "failures",
    prepare,
    step,
    faults,
    acknowledged: () => acknowledged.size,
    plant: () => void acknowledged.add(PLANTED),
  };
}
