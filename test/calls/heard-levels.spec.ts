import { describe, expect, test } from "vitest";
import { CALL_RATE, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { scaled } from "../../packages/server/src/voice/audio/mix.ts";
import { createCallHearing } from "../../packages/server/src/voice/calls/heard/call-hearing.ts";
import { hearRecording } from "../support/calls/hear-recording.ts";
import { silence, tone } from "../support/audio/tones.ts";
import { speechLike } from "../support/calls/timeline.ts";

describe("the agent's sound", () => {
  test("the agent's sound has the level of its speech without its pauses, and the level between speech", async () => {
    const hiss = Int16Array.from({ length: 2 * CALL_RATE }, (_, at) => (at % 2 === 0 ? 33 : -33));
    const agent = joined([hiss, speechLike(1_500, "a", -23), hiss, speechLike(1_500, "b", -23), hiss]);
    const { speechDbfs, floorDbfs, clippedSamples } = (await hearRecording(silence(9), agent)).agent;
    expect(speechDbfs).toBeCloseTo(-23, 0);
    expect(floorDbfs).toBeCloseTo(-60, 0);
    expect(clippedSamples).toBe(0);
  });

  test("the agent's sound has no level of speech when the agent makes no sound", async () => {
    const { agent } = await hearRecording(tone(600, 1, 0.2), silence(1));
    expect(agent).toMatchObject({ segments: [], speechDbfs: null, clippedSamples: 0 });
  });

  test("the agent's sound has the samples of flat tops as clipped ones, and none for a loud sound that keeps its shape", async () => {
    const loud = tone(500, 1, 0.99);
    expect((await hearRecording(silence(1), loud)).agent.clippedSamples).toBe(0);
    const clipped = scaled(tone(500, 1, 0.7), 2);
    const truth = clipped.filter((sample) => Math.abs(sample) >= 32_767).length;
    const { clippedSamples } = (await hearRecording(silence(1), clipped)).agent;
    expect(Math.abs(clippedSamples - truth)).toBeLessThan(truth * 0.05);
  });

  test("the agent's sound is measured at the end of a long call with turns for other work in between", async () => {
    const piece = joined([speechLike(3_000, "long"), silence(2)]);
    const hearing = createCallHearing();
    for (let at = 0; at < 60; at++) hearing.push({ clean: piece, sent: piece, agent: piece });
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await hearing.finish();
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(6);
  });
});
