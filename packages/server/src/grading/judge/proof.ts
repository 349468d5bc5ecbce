import type { Evidence } from "../evidence.ts";
import type { CheckedQuote } from "./quotes.ts";
import type { JudgeReply } from "./reply.ts";
import { gapOf } from "./transcript.ts";

/**
 * Words with which a behavior forbids or limits something, in the languages that testers write most. Only such a behavior may
 * pass without a quote.
 */
const FORBIDS =
  /\b(?:not|no(?!\.)|non|never|nothing|none|nobody|neither|nor|without|avoids?|avoiding|refrains?|refuses?|declines?|keeps? (?:from|to|off|within|quiet|silent|private|secret)|(?:stays?|sticks?) (?:within|on|in|to|with|silent|quiet|calm|polite|away|out|off)|limits? (?:itself|its)|only|solely|exclusively|free of|rather than|instead of|at most|no more than|cannot|withholds?|abstains?|nunca|jam[aá]s|sin|sem|n[aã]o|ningun[oa]?|nada|jamais|sans|ne|pas|aucune?|rien|nicht|nie|niemals|kein|keine|keinen|ohne|nichts|nur|mai|senza|nessun[oa]?|niente|nooit|geen|niet|zonder)\b|n['’]t\b/iu;

/** A behavior that mentions tools cannot be judged by their absence where tool calls are invisible. */
const ABOUT_TOOLS = /`|\b\w+_\w+\b|\btools?\b|\bfunctions?\b|\bcall(?:s|ed|ing)?\b/i;

/**
 * Returns why a judgement lacks proof, or null when it has it. The same rule holds for a pass and for a fail:
 *
 * - Something that happened needs the agent's own words or a tool call.
 * - Something that did not happen needs the whole record, because a missing line may hold it.
 */
export function missingProof(
  { behavior, kind, status }: Pick<JudgeReply, "kind" | "status"> & { behavior: string },
  quotes: readonly CheckedQuote[],
  evidence: Evidence,
): { problem: string; mayBeMended: boolean } | null {
  if (status === "inconclusive") return null;
  const isShown = quotes.some(({ foundIn, speaker }) => foundIn !== null && speaker !== "caller");
  const isAbsence = (status === "pass") === (kind === "must_not_happen");
  const needsWords = !isAbsence || (status === "pass" && !FORBIDS.test(behavior));
  if (needsWords && !isShown)
    return {
      problem: "It quotes neither the agent nor a tool call, and words of the caller prove nothing about the agent.",
      mayBeMended: true,
    };
  if (!isAbsence) return null;
  const gap = gapOf(evidence) ?? toolGap(behavior, evidence);
  return gap === null
    ? null
    : { problem: `That something is absent needs the whole record. ${gap}`, mayBeMended: false };
}

const toolGap = (behavior: string, { toolsVisible }: Evidence) =>
  !toolsVisible && ABOUT_TOOLS.test(behavior) ? "The agent's tool calls are not visible." : null;
