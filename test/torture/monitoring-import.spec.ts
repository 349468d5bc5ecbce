import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { idsOf, type Monitored, openMonitored } from "../support/monitoring.ts";
import { withoutTranscript, type WireCall } from "../support/platform-a/calls.ts";
import type { Fault } from "../support/platform-a/faults.ts";
import { until } from "../support/until.ts";

const AGENTS = 20;
const CALLS_EACH = 500;
const FAULTS = 500;

let m: Monitored;
afterEach(() => m.stop());

const ANY: Fault[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 503, retryAfter: "0" },
  { kind: "status", status: 404 },
  { kind: "status", status: 401 },
  { kind: "status", status: 429 },
  { kind: "status", status: 429, retryAfter: "-1" },
  { kind: "reset" },
  { kind: "reset_in_body" },
  { kind: "garbage" },
  { kind: "gzip" },
  { kind: "redirect", to: "http://127.0.0.1:1/" },
];

test(
  "10,000 calls of 20 agents are each imported exactly once through 500 random faults",
  { timeout: 300_000 },
  async () => {
    m = await openMonitored({ pace: { pollMs: 200, lateMs: 60_000 } });
    const p = await m.project(AGENTS);
    const calls = p.agentIds.flatMap((agentId, agent) =>
      Array.from({ length: CALLS_EACH }, (_, n) => p.callBefore(200 + n * 60 + agent, { agentId, exchanges: 0 })),
    );
    m.fake.addCalls(calls);
    await p.save();
    m.fake.faults.drawFrom(ANY, { seed: 7, probability: 0.06, path: /list-calls|get-call/, limit: FAULTS });
    const begunMs = performance.now();
    await until("all faults have happened", () => m.fake.faults.injected() >= FAULTS, 240_000);
    let looked = 0;
    const isActive = async () => (await p.setup()).agents.every(({ state }) => state === "active");
    await until("every agent is active", () => ++looked % 50 === 0 && isActive(), 240_000);
    const seconds = Math.round((performance.now() - begunMs) / 1_000);
    process.stdout.write(`10,000 calls through ${FAULTS} faults in ${seconds} s, ${m.fake.requests.length} requests\n`);
    expect(await p.conversations()).toEqual(idsOf(calls));
  },
);

test("64 replays of a failure, while the poll imports the same call, write one conversation once", async () => {
  m = await openMonitored({
    pace: { replayLeaseMs: 30, pollMs: 1, retryMs: 1, retryMaxMs: 1, tickMs: 1 },
  });
  const p = await m.project();
  const writes: string[] = [];
  const calls: WireCall[] = [];
  for (let round = 0; round < 8; round++) {
    const call = p.callBefore(60 + round);
    calls.push(call);
    m.fake.addCalls([withoutTranscript(call)]);
    await p.save();
    const failure = await until("the failure is open", async () =>
      (await p.agent()).failures.find(({ provider_call_id }) => provider_call_id === call.call_id),
    );
    m.fake.addCalls([call]);
    // In every second round the poll reads the call first.
    const reads = p.reads(call);
    if (round % 2 === 1) await until("the poll reads the call", () => p.reads(call) > reads);
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () =>
        p
          .client()
          .monitoring.replay({ failureId: failure.id })
          .then(
            ({ trace }) => trace.write,
            (error: { code: string }) => error.code,
          ),
      ),
    );
    expect(outcomes.filter((outcome) => !["written", "already", "replay_in_progress"].includes(outcome))).toEqual([]);
    writes.push(...outcomes.filter((outcome) => outcome === "written"));
    expect(outcomes.filter((outcome) => outcome === "written").length).toBeLessThanOrEqual(1);
    await p.active();
    expect((await p.client().monitoring.replay({ failureId: failure.id })).trace.write).toBe("already");
  }
  expect(await p.conversations()).toEqual(idsOf(calls));
  process.stdout.write(`8 calls: replays wrote ${writes.length}, the poll wrote the others\n`);
});

test("the platform key appears in no log line, no answer and, unsealed, in no file of the data directory", async () => {
  const written: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((text: string) => {
    written.push(String(text));
    return true;
  }) as typeof process.stdout.write;
  const answers: unknown[] = [];
  const key = "key_5c1e7d90b2a84f6688aa";
  try {
    m = await openMonitored({ settings: { LOG_LEVEL: "debug" } });
    const p = await m.project();
    m.fake.addKey(key);
    const call = p.callBefore(60);
    m.fake.addCalls([withoutTranscript(call), p.callBefore(5)]);
    answers.push(await p.client().monitoring.discover({ api_key: key }), await p.save(p.agentIds, key));
    const failure = await until("the failure is open", async () => (await p.agent()).failures[0]);
    m.fake.removeKey(key);
    answers.push(
      await p
        .client()
        .monitoring.replay({ failureId: failure.id })
        .catch((error: Error) => error.message),
    );
    answers.push(
      await p
        .client()
        .monitoring.discover({ api_key: key })
        .catch((error: Error) => error.message),
    );
    answers.push(await p.save(p.agentIds, key).catch((error: Error) => error.message));
    answers.push(await p.until("the key is rejected", ({ health }) => health.state === "invalid_credential"));
    m.fake.faults.next({ kind: "garbage" }, { times: 3 });
    answers.push(
      await p
        .client()
        .monitoring.discover({ api_key: m.fake.apiKey })
        .catch((error: Error) => error.message),
    );
    await until("the poll logs the rejected key", () => written.join("").includes("an import stopped at the platform"));
    await m.server().close();
  } finally {
    process.stdout.write = write;
  }
  expect(written.join("")).not.toContain(key);
  expect(JSON.stringify(answers)).toContain(key.slice(-4));
  expect(JSON.stringify(answers)).not.toContain(key);
  const found = execFileSync("sh", ["-c", `grep -rlaF -- "${key}" "${m.dataDir}" || true`], { encoding: "utf8" });
  expect(found).toBe("");
});
