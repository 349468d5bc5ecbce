import { draftFailingTest, LIMITS, shortTraceId, type TestContentDraft } from "@svc/contract/constants";
import type { Session } from "../session/session.ts";

export type DraftedTest = { traceId: string } & (
  | { test: TestContentDraft; fileName: string; notes: string[] }
  | { test: null; reason: string }
);

/** Comment in a file whose test comes from a conversation. */
export const originOf = (traceId: string): string => `Drafted from the conversation ${traceId}.`;

/** Drafts a test that repeats a conversation and expects the behaviors that failed in it. Stores nothing. */
export async function draftOf({ client, projectId }: Session, traceId: string): Promise<DraftedTest> {
  const [trace, { grades }] = await Promise.all([
    client.traces.get({ traceId, projectId }),
    client.grades.ofTrace({ traceId, projectId }),
  ]);
  const { test, notes } = draftFailingTest(trace, grades, `Failure ${shortTraceId(traceId)}`);
  if (test === null) return { traceId, test, reason: notes[0]! };
  return { traceId, test, fileName: `${test.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.md`, notes };
}

/**
 * Returns the traces of a group's newest conversations, at most `limit`. Skips a conversation whose failing turn has the same words
 * as that of an earlier conversation.
 */
export async function tracesOfGroup(
  { client, projectId, pages }: Session,
  groupId: string,
  limit: number,
): Promise<string[]> {
  const byWords = new Map<string, string>();
  const all = pages(client.groups.members, { groupId, projectId, pageSize: 200 });
  let read = 0;
  for await (const { traceId, quote } of all) {
    if (byWords.size === limit || ++read > LIMITS.conversationsOfDrafts * 4) break;
    if (traceId !== null && !byWords.has(quote ?? traceId)) byWords.set(quote ?? traceId, traceId);
  }
  return [...byWords.values()];
}
