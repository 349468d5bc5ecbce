import { expect, test } from "vitest";
import { writeSpans } from "../../packages/server/src/runs/after/write-spans.ts";
import { silent } from "../support/ingest.ts";

const transcript = { turns: [], toolUses: [], mockedTools: [], startedMs: 1_000, endedMs: 2_000 };
const run = {
  connection: JSON.stringify({ connectionType: "http_chat", accessVariant: "http_chat.public", config: {} }),
};
const simulation = { id: "sim_1", attempt: 1, trace_id: "a".repeat(32), message: "The caller hung up." };

/** Writes the spans of a call into a fake trace store that gives this answer, and returns the calls to the run store. */
async function callsFor(answer: { accepted: number; rejected: number; reasons: Record<string, number> }) {
  const calls: unknown[] = [];
  const store = {
    getSpanOrigin: () => Promise.resolve({ projectNumber: 1, agentName: "Front desk" }),
    recordRejectedSpans: (...said: unknown[]) => Promise.resolve(void calls.push(said)),
    markSpansWritten: (id: string) => Promise.resolve(void calls.push(`${id} is written`)),
  };
  const intake = { take: () => Promise.resolve(answer) };
  await writeSpans({ store, intake, log: silent } as never, simulation as never, run as never, transcript as never);
  return calls;
}

test("a simulation whose spans are all accepted keeps its message", async () => {
  expect(await callsFor({ accepted: 3, rejected: 0, reasons: {} })).toEqual(["sim_1 is written"]);
});

test.each([
  [2, simulation.trace_id],
  [0, null],
])(
  "a simulation says that spans were rejected, and keeps its conversation when %i were accepted",
  async (accepted, traceId) => {
    const message = `The caller hung up. The trace store does not hold the whole conversation: Rejected 1 of ${accepted + 1} spans: 1 too large.`;
    expect(await callsFor({ accepted, rejected: 1, reasons: { "too large": 1 } })).toEqual([
      ["sim_1", { message, traceId }],
      "sim_1 is written",
    ]);
  },
);
