import type { Trace } from "@svc/contract";
import { SILENCE_MS } from "@svc/contract/constants";
import type { Clock, Interval } from "./clock.ts";

/** A gap without speech, and whether speech comes before and after it. */
export type Silence = Interval & { isFirst: boolean; isLast: boolean };

/** A part of the conversation in which someone speaks, or a turn without known speech. */
type Voice = Pick<Trace["speech"][number], "startedAt" | "endedAt">;

/**
 * Returns the gaps of at least `SILENCE_MS` between all speech, with those before the first word and after the last one. Without
 * the speech of both parties, whether anyone spoke is unknown.
 */
export function silencesOf(trace: Pick<Trace, "speech" | "turns">, endMs: number, clock: Clock): Silence[] {
  const { speech } = trace;
  const spoke = (role: "user" | "agent") => speech.some((period) => period.role === role);
  if (!spoke("user") || !spoke("agent")) return [];
  const silences: Silence[] = [];
  let heardMs = 0;
  for (const [index, { startedAt, endedAt }] of voicesOf(trace).entries()) {
    const fromMs = clock.ms(startedAt);
    if (fromMs - heardMs >= SILENCE_MS)
      silences.push({ fromMs: heardMs, untilMs: fromMs, isFirst: index === 0, isLast: false });
    heardMs = Math.max(heardMs, clock.ms(endedAt));
  }
  if (endMs - heardMs >= SILENCE_MS) silences.push({ fromMs: heardMs, untilMs: endMs, isFirst: false, isLast: true });
  return silences;
}

/** Returns the speech and the turns whose speech is unknown, by start. */
function voicesOf({ speech, turns }: Pick<Trace, "speech" | "turns">): Voice[] {
  const heard = new Set(speech.map(({ turnIndex }) => turnIndex));
  const others = turns.flatMap(({ index, startedAt, endedAt }) =>
    heard.has(index) ? [] : [{ startedAt, endedAt: endedAt ?? startedAt }],
  );
  return others.length === 0
    ? speech
    : [...speech, ...others].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}
