import { describe, expect, test } from "vitest";
import { decodeMulaw, encodeMulaw, MULAW_SILENCE, mulawOf } from "../../packages/server/src/voice/audio/mulaw.ts";

/** Table 2a of ITU-T G.711. For each segment: the first decision value, the width of its steps and the first output value. */
const SEGMENTS = [
  [0, 2, 0],
  [31, 4, 33],
  [95, 8, 99],
  [223, 16, 231],
  [479, 32, 495],
  [991, 64, 1_023],
  [2_015, 128, 2_079],
  [4_063, 256, 4_191],
] as const;

/** The 128 positive values of the standard, in 14 bits. Each has its code and the interval of inputs that get this code. */
const table = SEGMENTS.flatMap(([first, width, output], segment) =>
  Array.from({ length: 16 }, (_, step) => {
    const isZero = segment === 0 && step === 0;
    const from = isZero ? 0 : segment === 0 ? first + step * width - 1 : first + step * width;
    return {
      code: 0xff - (segment * 16 + step),
      from,
      to: isZero ? 1 : from + width,
      output: output + step * width,
    };
  }),
);

describe("μ-law", () => {
  test("μ-law decodes every code to the output value of the standard's table", () => {
    const positive = Uint8Array.from(table, ({ code }) => code);
    const negative = positive.map((code) => code & 0x7f);
    const outputs = table.map(({ output }) => output * 4);
    expect([...decodeMulaw(positive)]).toEqual(outputs);
    expect([...decodeMulaw(negative)]).toEqual(outputs.map((output) => (output === 0 ? 0 : -output)));
    expect(table.at(-1)).toEqual({ code: 0x80, from: 7_903, to: 8_159, output: 8_031 });
  });

  test("μ-law encodes every sample to the code of its interval in the standard's table", () => {
    const wrong: number[] = [];
    for (let sample = 0; sample <= 32_767; sample++) {
      const value = Math.min(sample / 4, 8_158);
      const { code } = table.find(({ from, to }) => value >= from && value < to)!;
      if (mulawOf(sample) !== code) wrong.push(sample);
      if (sample > 0 && mulawOf(-sample) !== (code & 0x7f)) wrong.push(-sample);
    }
    expect(wrong).toEqual([]);
    expect(mulawOf(-32_768)).toBe(0x00);
    expect(mulawOf(0)).toBe(MULAW_SILENCE);
  });

  test("μ-law encodes a decoded code to the same code", () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code).filter((code) => code !== 0x7f);
    expect([...encodeMulaw(decodeMulaw(codes))]).toEqual([...codes]);
  });
});
