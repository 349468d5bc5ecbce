import { describe, expect, test } from "vitest";
import { CALL_RATE } from "../../packages/server/src/audio/audio.ts";
import type { HeardCall } from "../../packages/server/src/calls/call.ts";
import { hearRecording } from "../support/calls/hear-recording.ts";
import { HEARD_CASES } from "../support/calls/heard-cases.ts";
import { sideOf } from "../support/calls/timeline.ts";
import { wrongFactsOf } from "../support/calls/wrong-facts.ts";

const hear = (caller: Int16Array, agent: Int16Array): Promise<HeardCall> => hearRecording(caller, agent, CALL_RATE);

describe("a stereo recording", () => {
  test.each(HEARD_CASES)("$name", async ({ name, totalMs, caller, agent, heard }) => {
    const call = await hear(sideOf(caller, totalMs, `caller ${name}`), sideOf(agent, totalMs, `agent ${name}`));
    expect(wrongFactsOf(call, { caller, agent, ...heard })).toEqual([]);
    expect(call.durationMs).toBe(totalMs);
  });
});
