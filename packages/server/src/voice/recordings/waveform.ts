import type { Waveform } from "@svc/contract";
import type { WavLayout } from "../audio/wav-layout.ts";

/** The highest absolute sample of each bucket on each channel, in thousandths of full scale. */
export type Peaks = { bucketMs: number; channels: number[][] };

/** A page draws at most this many bars. The limit also keeps the response small for calls of any length. */
const BUCKETS_MAX = 2_000;
const BUCKET_MS_MIN = 20;
const FULL_SCALE = 32_768;
const SCALE = 1_000;

export const durationMsOf = ({ dataBytes, channels, rate }: WavLayout): number =>
  Math.round((dataBytes / (channels * 2) / rate) * 1_000);

export function waveformOf({ bucketMs, channels }: Peaks, isMixed: boolean): Waveform {
  const [caller, agent] = channels;
  if (!isMixed && caller !== undefined && agent !== undefined) {
    const separate = [
      { party: "caller" as const, peaks: caller },
      { party: "agent" as const, peaks: agent },
    ];
    return { bucketMs, channels: separate };
  }
  const both = caller!.map((_, bucket) => Math.max(...channels.map((peaks) => peaks[bucket]!)));
  return { bucketMs, channels: [{ party: "both", peaks: both }] };
}

/** Computes the waveform of a recording, whose samples arrive in pieces. */
export function collectPeaks(layout: WavLayout): { add: (samples: Int16Array) => void; peaks: Peaks } {
  const { channels, rate } = layout;
  const bucketMs = Math.max(BUCKET_MS_MIN, Math.ceil(durationMsOf(layout) / BUCKETS_MAX));
  const peaks: Peaks = { bucketMs, channels: Array.from({ length: channels }, () => []) };
  const highest = new Int32Array(channels);
  const endOf = (bucket: number) => Math.ceil(((bucket + 1) * bucketMs * rate) / 1_000);
  let frame = 0;
  let bucket = 0;
  let end = endOf(0);

  return {
    peaks,
    add(samples) {
      for (let at = 0; at < samples.length; at += channels, frame++) {
        if (frame === end) {
          end = endOf(++bucket);
          highest.fill(0);
        }
        for (let channel = 0; channel < channels; channel++) {
          const level = Math.abs(samples[at + channel]!);
          if (level < highest[channel]!) continue;
          highest[channel] = level;
          peaks.channels[channel]![bucket] = Math.round((level * SCALE) / FULL_SCALE);
        }
      }
    },
  };
}
