import { describe, expect, test } from "vitest";
import { hearRecording } from "../support/calls/hear-recording.ts";
import { HEARD_CASES } from "../support/calls/heard-cases.ts";
import { sideOf } from "../support/calls/timeline.ts";
import { wrongFactsOf } from "../support/calls/wrong-facts.ts";

describe("a stereo recording", () => {
  test.each(HEARD_CASES)("$name", async ({ name, totalMs, caller, agent, heard }) => {
    const call = await hearRecording(
      sideOf(caller, totalMs, `caller ${name}`),
      sideOf(agent, totalMs, `agent ${name}`),
    );
    expect(wrongFactsOf(call, { caller, agent, ...heard })).toEqual([]);
    expect(call.durationMs).toBe(totalMs);
  });
});
