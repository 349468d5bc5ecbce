import { beforeAll, describe, expect, test } from "vitest";
import { CALL_RATE, FRAME_MS, FRAME_SAMPLES, joined } from "../../packages/server/src/voice/audio/audio.ts";
import { decodeMulaw, encodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";
import { resample } from "../../packages/server/src/voice/audio/resample.ts";
import { createSoundKinds, type SoundKind } from "../../packages/server/src/voice/audio/sound-kinds.ts";
import { createTurnTaker } from "../../packages/server/src/voice/calls/media/turn-taking.ts";
import { framesOf, silence } from "../support/audio/tones.ts";
import { beep, breath, pinkNoise, together, whiteNoise } from "../support/calls/agent-side.ts";
import { spokenSentences } from "../support/calls/spoken-sentences.ts";

let speech: (seed: string) => Int16Array;
beforeAll(async () => {
  speech = await spokenSentences();
});

const overMulaw = (sound: Int16Array): Int16Array => {
  const narrow = resample({ samples: sound, rate: CALL_RATE }, 8_000).samples;
  return resample({ samples: decodeMulaw(encodeMulaw(narrow)), rate: 8_000 }, CALL_RATE).samples;
};

/** Returns the share of each kind among the frames of a sound, after its first 60 ms. */
function sharesOf(sound: Int16Array): Record<SoundKind, number> {
  const kinds = createSoundKinds();
  const shares = { tone: 0, voiced: 0, other: 0 };
  const frames = framesOf(sound, FRAME_SAMPLES);
  for (const [at, frame] of frames.entries()) {
    kinds.push(frame);
    if (at * FRAME_MS >= 60) shares[kinds.kind()] += 1 / (frames.length - 6);
  }
  return shares;
}

describe.each([
  ["at 16 kHz", (sound: Int16Array) => sound],
  ["over µ-law at 8 kHz", overMulaw],
])("the kind of a sound %s", (_, over) => {
  test.each([
    ["a key of a telephone", [697, 1_209]],
    ["a ring", [440, 480]],
    ["a busy signal", [480, 620]],
    ["a beep", [1_000]],
  ])("the kind of a sound is a tone for %s", (_name, hz) => {
    expect(sharesOf(over(beep(hz, 400, -20))).tone).toBeGreaterThan(0.9);
  });

  test("the kind of a sound is neither a tone nor a voice for noise and breath", () => {
    for (const sound of [whiteNoise(CALL_RATE, -30, "a"), pinkNoise(CALL_RATE, -30, "a"), breath(400, -40, "a")])
      expect(sharesOf(over(sound)).other).toBeGreaterThan(0.9);
  });

  test("the kind of a sound is a voice for a good part of speech, and hardly ever a tone", () => {
    for (const seed of ["a", "b", "c", "d", "e"]) {
      const { tone, voiced } = sharesOf(over(speech(seed)));
      expect(voiced).toBeGreaterThan(0.35);
      expect(tone).toBeLessThan(0.15);
    }
  });
});

describe("the start of the agent's turn during a call", () => {
  const startsOf = (sound: Int16Array): number[] => {
    const turns = createTurnTaker({ endOfTurnMs: 350, patienceMs: 1e9, interruptAfterMs: [null] }, false);
    return framesOf(sound, FRAME_SAMPLES).flatMap((frame) =>
      turns.next(frame, false, false).flatMap((event) => (event.kind === "agent_started" ? event.atMs : [])),
    );
  };
  const noise = (sound: Int16Array) => together(sound, pinkNoise(sound.length, -60, "floor"));

  test.each([
    ["a key of a telephone", () => beep([697, 1_209], 160, -20)],
    ["a ring", () => beep([440, 480], 400, -22)],
    ["a breath", () => breath(330, -42, "b")],
  ])("the start of the agent's turn during a call is not %s, but the words after it", (_name, before) => {
    const sound = noise(joined([silence(1), before(), silence(0.12), speech("a"), silence(1)]));
    const wordsMs = 1_120 + (before().length / CALL_RATE) * 1_000;
    const starts = startsOf(sound);
    expect(starts).toHaveLength(1);
    expect(Math.abs(starts[0]! - wordsMs)).toBeLessThan(200);
  });

  test("the start of the agent's turn during a call is not a beep or a breath that no words follow", () => {
    const alone = joined([silence(1), beep([1_000], 300, -20), silence(1), breath(330, -40, "c"), silence(1)]);
    expect(startsOf(noise(alone))).toEqual([]);
  });

  test("the start of the agent's turn during a call is a long sound without a voice after two seconds, because it may be a whisper", () => {
    const whisper = joined([silence(1), whiteNoise(3 * CALL_RATE, -25, "w"), silence(1)]);
    expect(startsOf(noise(whisper))).toHaveLength(1);
  });
});
