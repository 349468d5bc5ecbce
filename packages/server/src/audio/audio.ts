/** Mono sound: signed 16-bit samples, `rate` of them per second. */
export type Audio = { samples: Int16Array; rate: number };

/** The sample rate inside a call; each line converts from and to its codec. */
export const CALL_RATE = 16_000;

/** The length of a frame, the unit in which a call sends and hears sound. */
export const FRAME_MS = 10;

/** Number of samples in a frame at `CALL_RATE`. */
export const FRAME_SAMPLES = (CALL_RATE * FRAME_MS) / 1_000;
