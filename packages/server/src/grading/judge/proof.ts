import { stoppedAnswering } from "../absence.ts";
import type { Evidence } from "../evidence.ts";
import { readDemand } from "./demand.ts";
import type { CheckedQuote } from "./quotes.ts";
import type { JudgeReply } from "./reply.ts";
import { formsOf } from "./saying.ts";
import { gapOf } from "./transcript.ts";

const ABOUT_TOOLS = /`|\b\w+_\w+\b|\btools?\b|\bfunctions?\b|\bcall(?:s|ed|ing)?\b/i;
/** Acts that an agent does with a tool, and not with words. */
const DONE_BY_TOOLS = new RegExp(
  `\\b(?:${formsOf("book reserve charge refund cancel transfer forward send email order pay purchase buy sell schedule reschedule update create delete remove register enroll submit issue approve waive activate deactivate block unlock grant save verify escalate subscribe withdraw credit debit ship dispatch")}|sent|paid|sold|bought|bookings?|reservations?|appointments?|payments?)\\b`,
  "i",
);

/**
 * Returns why a judgement lacks proof, or null when it has it. The sentence decides the proof, not the judge:
 *
 * - Something that happened, a demand that is met or a prohibition that is broken, needs the agent's own words or a tool
 *   call. Speech of the agent needs its words.
 * - Something that did not happen needs the whole record, because a missing line may hold it, and an agent that was there. No
 *   record without tool calls is whole about an act that a tool does.
 * - A sentence that demands and forbids, or that code cannot read, needs both.
 */
export function missingProof(
  { behavior, status }: Pick<JudgeReply, "status"> & { behavior: string },
  quotes: readonly CheckedQuote[],
  evidence: Evidence,
): { problem: string; mayBeMended: boolean } | null {
  if (status === "inconclusive") return null;
  const { kind, isAboutSaying } = readDemand(behavior);
  const isAboutTools = ABOUT_TOOLS.test(behavior) || (!isAboutSaying && DONE_BY_TOOLS.test(behavior));
  const needsQuote = kind === "mixed" || (status === "pass") === (kind === "demand");
  const needsWholeRecord = kind === "mixed" || !needsQuote;
  const isShown = quotes.some(
    ({ foundIn, speaker }) => foundIn !== null && (speaker === "agent" || (speaker === "tool" && !isAboutSaying)),
  );
  if (needsQuote && !isShown) return { problem: isAboutSaying ? NO_WORDS : NO_QUOTE, mayBeMended: true };
  if (!needsWholeRecord) return null;
  const silence = status === "pass" ? stoppedAnswering(evidence) : null;
  const gap = gapOf(evidence) ?? (isAboutTools ? toolGap(evidence) : null) ?? silence;
  return gap === null
    ? null
    : { problem: `That something is absent needs the whole record. ${gap}`, mayBeMended: false };
}

const NO_QUOTE =
  "It quotes neither the agent nor a tool call, and words of the caller prove nothing about the agent. Quote what the agent said or did.";
const NO_WORDS =
  "It does not quote the agent, and only the agent's own words show what it says: a tool call does not. Quote the agent.";

const toolGap = ({ toolsVisible }: Evidence) => (toolsVisible ? null : "The agent's tool calls are not visible.");
