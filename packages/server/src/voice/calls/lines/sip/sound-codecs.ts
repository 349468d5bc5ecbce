import { decodeAlaw, encodeAlaw } from "../../../audio/alaw.ts";
import { CALL_RATE } from "../../../audio/audio.ts";
import { createG722Decoder, createG722Encoder } from "../../../audio/g722.ts";
import { decodeMulaw, encodeMulaw } from "../../../audio/mulaw.ts";
import { createResampler } from "../../../audio/resample.ts";
import type { SipCodec } from "./sdp.ts";

type SoundCodec = {
  rate: number;
  createEncoder: () => (samples: Int16Array) => Uint8Array;
  createDecoder: () => (codes: Uint8Array) => Int16Array;
};

const CODECS: Record<SipCodec, SoundCodec> = {
  G722: { rate: 16_000, createEncoder: createG722Encoder, createDecoder: createG722Decoder },
  PCMU: { rate: 8_000, createEncoder: () => encodeMulaw, createDecoder: () => decodeMulaw },
  PCMA: { rate: 8_000, createEncoder: () => encodeAlaw, createDecoder: () => decodeAlaw },
};

export const rateOf = (codec: SipCodec): number => CODECS[codec].rate;

/** Returns a function that encodes sound at `CALL_RATE`. */
export function createEncoding(codec: SipCodec): (samples: Int16Array) => Uint8Array {
  const { rate, createEncoder } = CODECS[codec];
  const down = createResampler(CALL_RATE, rate);
  const encode = createEncoder();
  return (samples) => encode(down.push(samples));
}

/** Returns the decoder of a stream, whose samples have the rate of the codec. */
export const createDecoding = (codec: SipCodec): ((codes: Uint8Array) => Int16Array) => CODECS[codec].createDecoder();
