import { REPORTED_ENDING_CHARACTERS } from "@svc/contract/constants";
import type { Conversation } from "./conversation.ts";

/** A member is null if the platform does not report it. */
export type ReportedOutcome = { successful: boolean | null; ending: string | null; summary: string | null };

const SUCCESSFUL = "call_successful";
const SUMMARY_CHARACTERS = 300;

export function reportedOutcomeOf({ callReport }: Pick<Conversation, "callReport">): ReportedOutcome | null {
  if (callReport === undefined) return null;
  const verdict = callReport.verdicts.find(({ name }) => name === SUCCESSFUL)?.value;
  const successful = typeof verdict === "boolean" ? verdict : null;
  const ending = beginningOf(callReport.ending?.reason, REPORTED_ENDING_CHARACTERS);
  const summary = beginningOf(callReport.summary, SUMMARY_CHARACTERS);
  return successful === null && ending === null && summary === null ? null : { successful, ending, summary };
}

const beginningOf = (text: string | null | undefined, characters: number): string | null =>
  text?.trim().slice(0, characters).toWellFormed() || null;
