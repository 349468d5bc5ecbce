import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ingest, noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";
import { attribute } from "../support/otlp.ts";

const TRACES = [1, 2, 3, 4, 5, 6];
/** Returns the name of a trace's conversation when no attribute names the conversation. */
const keyOf = (trace: number) => traceIdOf(trace).toUpperCase();

let dataDir = "";
let ingest: Ingest;
let project = 0;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-flat-reads-"));
  ingest = await openIngest({ dataDir });
});
afterAll(async () => {
  await ingest.close();
  rmSync(dataDir, { recursive: true, force: true });
});

type Named = { conversation: string | null; agent: string | null; root: string };

const names = fc.array(
  fc.record({
    conversation: fc.constantFrom(null, "Job Ä", "job b", keyOf(1), keyOf(2)),
    agent: fc.constantFrom(null, "Ada", "ÅSE"),
    root: fc.constantFrom("session", "Große Runde"),
  }),
  { minLength: TRACES.length, maxLength: TRACES.length },
);
const spans = fc.array(fc.record({ trace: fc.constantFrom(...TRACES), number: fc.nat(4) }), {
  minLength: 1,
  maxLength: 20,
});

const namedSpan = (named: readonly Named[], { trace, number }: { trace: number; number: number }) => {
  const { conversation, agent, root } = named[trace - 1]!;
  return spanOf(trace, number, {
    name: number === 0 ? root : `step ${number}`,
    attributes: [
      ...(conversation === null ? [] : [attribute("lk.job_id", conversation)]),
      ...(agent === null ? [] : [attribute("gen_ai.agent.name", agent)]),
    ],
  });
};

/** Expects that each trace id finds its whole conversation, as the list shows it and as the sent spans give it when grouped by name. */
async function expectConversations(named: readonly Named[], sent: readonly { trace: number; number: number }[]) {
  const rows = await ingest.traces(project);
  const distinct = [...new Map(sent.map((span) => [`${span.trace} ${span.number}`, span])).values()];
  const groups = Map.groupBy(distinct, ({ trace }) => named[trace - 1]!.conversation ?? keyOf(trace));
  expect(rows).toHaveLength(groups.size);
  for (const group of groups.values()) {
    const traceIds = [...new Set(group.map(({ trace }) => traceIdOf(trace)))].toSorted();
    for (const traceId of traceIds) {
      const summary = await ingest.store.reader.findSummary(project, traceId);
      expect(summary).toMatchObject({
        traceIds: expect.toSatisfy((ids: string[]) => `${ids.toSorted()}` === `${traceIds}`),
      });
      expect(summary).toMatchObject({ spans: group.length, isRead: true });
      expect(rows).toContainEqual(summary);
      expect((await ingest.store.reader.find(project, traceId))!.spans).toHaveLength(group.length);
    }
  }
  for (const trace of TRACES.filter((one) => distinct.every((span) => span.trace !== one)))
    expect(await ingest.store.reader.findSummary(project, traceIdOf(trace))).toBeNull();
  for (const search of ["JOB", "job ä", "ada", "åse", "große R", "a\njob", "7000", "nothing"]) {
    const sort = { by: "startedAt", descending: true } as const;
    const request = { project, limit: 100, sort, after: undefined, filters: { ...noFilters, search } };
    const fold = (text: string) => text.normalize("NFC").toLowerCase();
    const texts = ({ agent, conversation, rootName }: (typeof rows)[number]) =>
      [agent, conversation, rootName].filter((text) => text !== null).join("\n");
    const expected = rows.filter((row) => fold(texts(row)).includes(fold(search)));
    expect((await ingest.store.reader.list(request)).rows, search).toEqual(expected);
  }
}

test("each trace finds the conversation that the list shows, after late spans, a restart and a deletion", async () => {
  await fc.assert(
    fc.asyncProperty(names, spans, fc.nat(20), async (named, sent, cut) => {
      project++;
      for (const part of [sent.slice(0, cut), sent.slice(cut)]) {
        if (part.length > 0)
          await ingest.take(
            project,
            part.map((span) => namedSpan(named, span)),
          );
        await ingest.intake.drain();
      }
      await expectConversations(named, sent);
      if (project % 4 === 0) {
        await ingest.close();
        ingest = await openIngest({ dataDir });
        await expectConversations(named, sent);
      }
      const key = (trace: number) => named[trace - 1]!.conversation ?? keyOf(trace);
      const gone = sent[0]!.trace;
      const traceIds = TRACES.filter((trace) => key(trace) === key(gone)).map(traceIdOf);
      await ingest.store.eraser.erase(project, { traceIds, names: [] });
      await ingest.intake.drain();
      await expectConversations(
        named,
        sent.filter(({ trace }) => key(trace) !== key(gone)),
      );
    }),
    { numRuns: IS_LONG ? 12 : 3 },
  );
});
