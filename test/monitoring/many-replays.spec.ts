import { afterEach, expect, test } from "vitest";
import { idsOf, type Monitored, openMonitored } from "../support/monitoring.ts";
import { IS_LONG } from "../support/long-form.ts";
import { withoutTranscript, type WireCall } from "../support/platform-a/calls.ts";
import { until } from "../support/until.ts";

const REPLAYS = IS_LONG ? 64 : 16;
const ROUNDS = IS_LONG ? 8 : 4;

let m: Monitored;
afterEach(() => m.stop());

test(`${REPLAYS} replays of a failure, while the poll imports the same call, write one conversation once`, async () => {
  m = await openMonitored({
    pace: { replayLeaseMs: 30, pollMs: 1, retryMs: 1, retryMaxMs: 1, tickMs: 1 },
  });
  const p = await m.project();
  const writes: string[] = [];
  const calls: WireCall[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const call = p.callBefore(60 + round);
    calls.push(call);
    m.fake.addCalls([withoutTranscript(call)]);
    await p.save();
    const failure = await until("the failure is open", async () =>
      (await p.agent()).failures.find(({ provider_call_id }) => provider_call_id === call.call_id),
    );
    m.fake.addCalls([call]);
    // In every second round, the poll reads the call before the replay does.
    const reads = p.reads(call);
    if (round % 2 === 1) await until("the poll reads the call", () => p.reads(call) > reads);
    const outcomes = await Promise.all(
      Array.from({ length: REPLAYS }, () =>
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
});
