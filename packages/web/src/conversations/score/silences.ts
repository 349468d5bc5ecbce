import type { Trace } from "@svc/contract";
import { SILENCE_MS } from "@svc/contract/constants";
import type { Clock, Interval } from "./clock.ts";

/** A gap without speech, and whether speech comes before and after it. */
export type Silence = Interval & { isFirst: boolean; isLast: boolean };

/**
 * Returns the gaps of at least `SILENCE_MS` between all speech, with those before the first word and after the last one. Without
 * the speech of both parties, whether anyone spoke is unknown.
 */
export function silencesOf(speech: Trace["speech"], endMs: number, clock: Clock): Silence[] {
  const spoke = (role: "user" | "agent") => speech.some((period) => period.role === role);
  if (!spoke("user") || !spoke("agent")) return [];
  const silences: Silence[] = [];
  let heardMs = 0;
  for (const [index, { startedAt, endedAt }] of speech.entries()) {
    const fromMs = clock.ms(startedAt);
    if (fromMs - heardMs >= SILENCE_MS)
      silences.push({ fromMs: heardMs, untilMs: fromMs, isFirst: index === 0, isLast: false });
    heardMs = Math.max(heardMs, clock.ms(endedAt));
  }
  if (endMs - heardMs >= SILENCE_MS) silences.push({ fromMs: heardMs, untilMs: endMs, isFirst: false, isLast: true });
  return silences;
}
