import type { Decision } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Broken, Check } from "../check.ts";
import type { Predicate } from "../grammar/predicate.ts";

/** A form of sentences that code can decide. `checks/table.ts` lists all forms. */
export type Form<C extends Check = Check> = {
  name: C["form"];
  title: string;
  examples: readonly string[];
  /** Phrase that names the evidence that the check reads. */
  reads: string;
  /** Phrase that names the cases in which the check is inconclusive. */
  unsure: string;
  /** Whether a judge can decide from words and tool calls when the check is inconclusive. */
  judgeCanTell: boolean;
  /** Returns whether a check needs the sound of a call. Without this function, no check of the form needs sound. */
  needsSound?: (check: C) => boolean;
  /** Matches sentences without their subject that are nearly in the form. */
  nearly: RegExp;
  /** Returns the check if the whole predicate is in the form; undefined if it is not. */
  read: (predicate: Predicate) => C | Broken | undefined;
  /** Returns a sentence that describes the check. */
  echo: (check: C) => string;
  /** Returns the tools whose success decides the check. */
  successOf?: (check: C) => string[];
  decide: (check: C, evidence: Evidence) => Decision;
};
