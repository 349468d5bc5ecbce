import { CALL_RATE, sampleOf } from "./audio.ts";

type Coefficients = readonly [b0: number, b1: number, b2: number, a1: number, a2: number];

/** Returns a Butterworth filter of second order that keeps the frequencies on one side of a limit. */
function coefficientsOf(side: "above" | "below", limitHz: number): Coefficients {
  const angle = (2 * Math.PI * limitHz) / CALL_RATE;
  const cosine = Math.cos(angle);
  const alpha = Math.sin(angle) * Math.SQRT1_2;
  const edge = side === "below" ? (1 - cosine) / 2 : (1 + cosine) / 2;
  const middle = side === "below" ? 1 - cosine : -1 - cosine;
  return [edge, middle, edge, -2 * cosine, 1 - alpha].map((one) => one / (1 + alpha)) as unknown as Coefficients;
}

function createFilter([b0, b1, b2, a1, a2]: Coefficients): (sample: number) => number {
  let [first, second] = [0, 0];
  return (sample) => {
    const output = b0 * sample + first;
    first = b1 * sample - a1 * output + second;
    second = b2 * sample - a2 * output;
    return output;
  };
}

/** Returns a function that removes the frequencies outside a band from sound at `CALL_RATE`. */
export function createBandLimit({ fromHz, toHz }: { fromHz: number; toHz: number }): (frame: Int16Array) => Int16Array {
  const filters = [
    coefficientsOf("above", fromHz),
    coefficientsOf("above", fromHz),
    coefficientsOf("below", toHz),
    coefficientsOf("below", toHz),
  ].map(createFilter);
  return (frame) => frame.map((sample) => sampleOf(filters.reduce((value, filter) => filter(value), sample)));
}
