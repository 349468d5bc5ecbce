import { expect, test } from "vitest";
import type { PlainRow } from "../support/otlp-reference.ts";
import { newSecret } from "../support/secret.ts";
import { runJob, VERSIONS } from "../support/worker.ts";
import { type Receiver, startReceiver } from "../support/worker-receiver.ts";

const apiKey = newSecret();
const FRAMEWORK_KILLS_AFTER_MS = 60_000;

async function withReceiver(answer: Parameters<typeof startReceiver>[0], check: (receiver: Receiver) => Promise<void>) {
  const receiver = await startReceiver(answer);
  await check(receiver).finally(receiver.stop);
}

/** Expects that the session span has arrived, and the parent of every other span. */
function expectWholeTree(spans: PlainRow[]): void {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const roots = spans.filter(({ parent_span_id }) => parent_span_id === null);
  expect(roots.map(({ name }) => name)).toEqual(["agent_session"]);
  expect(spans.filter(({ parent_span_id: parent }) => parent !== null && !ids.has(parent))).toEqual([]);
  expect(spans.filter(({ name }) => name === "agent_turn").length).toBeGreaterThanOrEqual(5);
  expect(spans.map(({ name }) => name)).toContain("drain_agent_activity");
  expect(ids.size).toBe(spans.length);
}

test.each(VERSIONS)("on the %s version a forked job exits with 0 and delivers every span", async (version) => {
  await withReceiver(undefined, async ({ url, taken }) => {
    const job = await runJob(version, { SVC_URL: url, SVC_API_KEY: apiKey });
    expect(job).toMatchObject({ exitCode: 0, signal: null });
    expectWholeTree(taken);
    expect(taken[0]!.resource).toMatchObject({
      attributes: { "svc.session_id": "AJ_forked", "svc.room_name": "call-7", "svc.agent_name": "clinic" },
    });
  });
});

test("a job whose entry throws delivers every span", async () => {
  await withReceiver(undefined, async ({ url, taken }) => {
    await runJob("newest", { SVC_URL: url, SVC_API_KEY: apiKey, ENTRY_THROWS: "yes" });
    expectWholeTree(taken);
  });
});

test("a service that answers again before the end of the job gets every span once", async () => {
  const answer = (n: number) => (n < 1 ? { status: 503 } : { status: 200 });
  await withReceiver(answer, async ({ url, taken }) => {
    await runJob("newest", { SVC_URL: url, SVC_API_KEY: apiKey });
    expectWholeTree(taken);
  });
});

test.each([
  ["is down", undefined],
  ["does not answer", () => "hang" as const],
])("while the service %s, the call goes on, and the job ends within its time limit", async (_name, answer) => {
  const receiver = await startReceiver(answer);
  if (answer === undefined) await receiver.stop();
  const job = await runJob("newest", { SVC_URL: receiver.url, SVC_API_KEY: apiKey, SHUTDOWN_MS: "2000" });
  if (answer !== undefined) await receiver.stop();
  expect(job).toMatchObject({ exitCode: 0, signal: null });
  expect(job.output).toContain("the call has ended");
  expect(job.output).toMatch(/The job ended, and \d+ of its \d+ spans were not delivered/);
  expect(job.output).not.toContain(apiKey);
  expect(job.endMs).toBeLessThan(FRAMEWORK_KILLS_AFTER_MS / 2);
});

test("a refused key is reported without the key", async () => {
  await withReceiver(
    () => ({ status: 401 }),
    async ({ url, received }) => {
      const job = await runJob("newest", { SVC_URL: url, SVC_API_KEY: apiKey });
      expect(job).toMatchObject({ exitCode: 0, signal: null });
      expect(job.output).toContain("set SVC_API_KEY to a key that is valid");
      expect(job.output).not.toContain(apiKey);
      expect(received).toHaveLength(1);
    },
  );
});
