import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWav } from "../../packages/server/src/voice/audio/wav.ts";
import { WavError } from "../../packages/server/src/voice/audio/wav-layout.ts";
import { stereoBytes, stereoWavOf, wavHeader, wavOf } from "../../packages/server/src/voice/audio/wav-writing.ts";

const samples = Int16Array.of(0, 1, -1, 32_767, -32_768, 1_234);

const chunk = (id: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(id, 0, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
};

const wavOfChunks = (...chunks: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE", "latin1"), ...chunks]);

function format({ code = 1, channels = 1, rate = 16_000, bits = 16, length = 16 } = {}): Buffer {
  const content = Buffer.alloc(Math.max(16, length));
  content.writeUInt16LE(code, 0);
  content.writeUInt16LE(channels, 2);
  content.writeUInt32LE(rate, 4);
  content.writeUInt16LE(bits, 14);
  if (length >= 26) content.writeUInt16LE(1, 24);
  return chunk("fmt ", content.subarray(0, length));
}

const refusalOf = (bytes: Uint8Array, maxSamples?: number): string => {
  try {
    readWav(bytes, maxSamples);
  } catch (error) {
    if (error instanceof WavError) return error.message;
    throw error;
  }
  return "no refusal";
};

describe("a WAV file", () => {
  test("a WAV file holds the same samples after it is written and read", () => {
    fc.assert(
      fc.property(
        fc.int16Array(),
        fc.int16Array(),
        fc.constantFrom(8_000, 16_000, 22_050, 48_000),
        (left, right, rate) => {
          expect(readWav(wavOf({ samples: left, rate }))).toEqual({ rate, channels: [left] });
          const stereo = readWav(stereoWavOf(left, right, rate));
          const padded = (side: Int16Array) =>
            Int16Array.from({ length: Math.max(left.length, right.length) }, (_, at) => side[at] ?? 0);
          expect(stereo).toEqual({ rate, channels: [padded(left), padded(right)] });
        },
      ),
    );
  });

  test("a WAV file is read around chunks of other kinds, including those of an odd length", () => {
    const data = chunk("data", Buffer.from(samples.buffer));
    const file = wavOfChunks(chunk("LIST", Buffer.from("odd")), format(), chunk("fact", Buffer.alloc(4)), data);
    expect(readWav(Buffer.concat([file, chunk("id3 ", Buffer.from("title"))])).channels).toEqual([samples]);
  });

  test("a WAV file is read with the extensible format", () => {
    const file = wavOfChunks(format({ code: 0xfffe, length: 40 }), chunk("data", Buffer.from(samples.buffer)));
    expect(readWav(file).channels).toEqual([samples]);
  });

  test("a WAV file is read while its header has no length", () => {
    const sound = stereoBytes(samples, samples);
    expect(readWav(Buffer.concat([wavHeader(16_000, 2, null), sound])).channels).toEqual([samples, samples]);
    const empty = wavHeader(16_000, 2, 0);
    expect(readWav(Buffer.concat([empty, sound])).channels).toEqual([samples, samples]);
  });

  test("a WAV file is read up to the place where it breaks off", () => {
    const file = wavOf({ samples, rate: 8_000 });
    expect(readWav(file.subarray(0, file.length - 3)).channels).toEqual([samples.subarray(0, 4)]);
  });

  test("a WAV file is read at any offset of its buffer", () => {
    const shifted = Buffer.concat([Buffer.from("x"), wavOf({ samples, rate: 8_000 })]).subarray(1);
    expect(readWav(shifted).channels).toEqual([samples]);
  });

  test("a WAV file is refused with the reason when it is damaged or of another kind", () => {
    const data = chunk("data", Buffer.from(samples.buffer));
    expect(refusalOf(Buffer.from("ID3 an mp3 file with a title"))).toContain("no WAV file");
    expect(refusalOf(Buffer.alloc(0))).toContain("no WAV file");
    expect(refusalOf(wavOfChunks(format()))).toContain("no data chunk");
    expect(refusalOf(wavOfChunks(data))).toContain("sound before its format");
    expect(refusalOf(wavOfChunks(format({ length: 14 }), data))).toContain("too short");
    expect(refusalOf(wavOfChunks(format({ code: 3, bits: 32 }), data))).toContain("format 3 with 32 bits");
    expect(refusalOf(wavOfChunks(format({ channels: 0 }), data))).toContain("0 channels");
    expect(refusalOf(wavOfChunks(format({ channels: 9 }), data))).toContain("9 channels");
    expect(refusalOf(wavOfChunks(format({ rate: 0 }), data))).toContain("0 samples per second");
    expect(refusalOf(wavOfChunks(format({ rate: 16_001 }), data))).toContain("16001 samples per second");
    expect(refusalOf(wavOf({ samples, rate: 8_000 }), 5)).toContain("at most 5");
  });

  test("a WAV file never causes another error than a refusal, whatever its bytes", () => {
    const file = wavOf({ samples, rate: 8_000 });
    fc.assert(
      fc.property(fc.nat(file.length), fc.nat(file.length - 1), fc.nat(255), (length, at, byte) => {
        const damaged = Buffer.from(file.subarray(0, length));
        if (at < damaged.length) damaged[at] = byte;
        expect(refusalOf(damaged)).toBeTypeOf("string");
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(refusalOf(bytes)).toBeTypeOf("string");
      }),
    );
  });
});
