import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { CALL_RATE } from "../../packages/server/src/voice/audio/audio.ts";
import { createG722Decoder, createG722Encoder } from "../../packages/server/src/voice/audio/g722.ts";
import { powerOf } from "../../packages/server/src/voice/audio/level.ts";
import { createResampler } from "../../packages/server/src/voice/audio/resample.ts";
import { framesOf, tone } from "../support/audio/tones.ts";
import { decodeMulaw, encodeMulaw } from "../../packages/server/src/voice/audio/mulaw.ts";

/** A sound in both bands of G.722, with some noise. */
const SOUND = Int16Array.from({ length: 480 }, (_, at) =>
  Math.round(
    9_000 * Math.sin((2 * Math.PI * 440 * at) / CALL_RATE) +
      4_000 * Math.sin((2 * Math.PI * 5_200 * at) / CALL_RATE) +
      ((at * 7_919) % 2_001) -
      1_000,
  ),
);
/** What ffmpeg 5.1 makes of this sound: `-c:a g722`, in Base64, and the SHA-256 of what it decodes from it, as 16-bit samples. */
const CODES =
  "99AspASgoCAgpCissDiclRGRkhKUGB26NDCtLXCvM3yfGtXTE9TVGNx2NvJwcK90drwfWdZZ09YWmt87+fNzsm5wtHh+mljS1RLWmB75eXTwbTGxdXr/W3+TFVLXGNnfOffycqv1crd8PtkVUtZSXJsc/fN3sO51sfVf9V8SmhRR2lnY+zzzq32t8Hb6exTaGBDUX9P5H/mydPHuebT0dJXdU51TWNM6V7M4cXbvuu4f99scVBZa2lJ9vn139DLzcjnrk3baHxTWV1zYXt+pGXPyc3xuF7n9E3naTb07Vfd+Pexxnuo/WPMZWVzSmn0V";
const DECODED = "ac4e50b0e58667bf6587005749c1e5b7df4949bf784029c2cb18e2dbcc799ca4";

test("G.722 has the codes and the samples of another implementation, also in pieces", () => {
  const encode = createG722Encoder();
  const codes = framesOf(SOUND, 160).map((frame) => Buffer.from(encode(frame)));
  expect(Buffer.concat(codes).toString("base64")).toBe(CODES);
  const decode = createG722Decoder();
  const samples = codes.map((piece) => Buffer.from(decode(piece).buffer));
  expect(createHash("sha256").update(Buffer.concat(samples)).digest("hex")).toBe(DECODED);
});

test("G.722 carries a sound that an encoding of the telephone network loses", () => {
  const sound = tone(6_000, 0.5, 0.3);
  const wide = createG722Decoder()(createG722Encoder()(sound));
  const narrow = createResampler(8_000, CALL_RATE).push(
    decodeMulaw(encodeMulaw(createResampler(CALL_RATE, 8_000).push(sound))),
  );
  expect(powerOf(wide)).toBeGreaterThan(powerOf(sound) / 2);
  expect(powerOf(narrow)).toBeLessThan(powerOf(sound) / 100);
});
