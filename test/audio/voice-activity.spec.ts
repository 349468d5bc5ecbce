import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CALL_RATE, FRAME_SAMPLES, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { mixed, scaled } from "../../packages/server/src/voice/audio/mix.ts";
import { createSurroundings } from "../../packages/server/src/voice/audio/surroundings/surroundings.ts";
import { createVoiceActivity, type VoiceEdge } from "../../packages/server/src/voice/audio/voice-activity.ts";
import { framesOf, silence, tone } from "../support/audio/tones.ts";

function edgesOf(sound: Int16Array, settings = { onMs: 30, offMs: 400 }): VoiceEdge[] {
  const activity = createVoiceActivity({ rate: CALL_RATE, ...settings });
  return framesOf(sound, FRAME_SAMPLES).flatMap((frame) => activity.push(frame) ?? []);
}

describe("voice activity", () => {
  test("voice activity has the times of the edges, not of their discovery", () => {
    const sound = joined([silence(1), tone(300, 0.8, 0.1), silence(1), tone(300, 0.5, 0.1), silence(1)]);
    expect(edgesOf(sound)).toEqual([
      { kind: "started", atMs: 1_000 },
      { kind: "stopped", startedMs: 1_000, atMs: 1_800 },
      { kind: "started", atMs: 2_800 },
      { kind: "stopped", startedMs: 2_800, atMs: 3_300 },
    ]);
  });

  test("voice activity ignores clicks, and bridges pauses inside speech", () => {
    const click = joined([silence(1), tone(300, 0.02, 0.5), silence(1)]);
    expect(edgesOf(click)).toEqual([]);
    const paused = joined([silence(1), tone(300, 0.5, 0.1), silence(0.35), tone(300, 0.5, 0.1), silence(1)]);
    expect(edgesOf(paused)).toEqual([
      { kind: "started", atMs: 1_000 },
      { kind: "stopped", startedMs: 1_000, atMs: 2_350 },
    ]);
  });

  test("voice activity learns the level of a constant noise, and still hears speech over it", () => {
    const noise = scaled(createSurroundings("line", "noise")(12 * CALL_RATE), 0.4);
    const speech = joined([silence(8), tone(300, 1, 0.2), silence(3)]);
    const last = edgesOf(mixed(speech, noise)).filter(({ atMs }) => atMs > 6_000);
    expect(last).toEqual([
      { kind: "started", atMs: 8_000 },
      { kind: "stopped", startedMs: 8_000, atMs: 9_000 },
    ]);
  });

  test("voice activity hears nothing in silence with an offset", () => {
    expect(edgesOf(new Int16Array(CALL_RATE).fill(2_000))).toEqual([]);
  });

  test("voice activity alternates starts and stops in the order of time, whatever the sound", () => {
    const parts = fc.array(fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 10 })), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(parts, (parts) => {
        const sound = joined(parts.map(([frames, level]) => tone(300, frames / 100, level / 10)));
        const edges = edgesOf(sound, { onMs: 30, offMs: 200 });
        for (const [at, edge] of edges.entries()) {
          expect(edge.kind).toBe(at % 2 === 0 ? "started" : "stopped");
          if (at > 0) expect(edge.atMs).toBeGreaterThan(edges[at - 1]!.atMs);
        }
      }),
    );
  });
});
