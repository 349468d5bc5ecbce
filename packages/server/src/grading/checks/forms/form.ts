import type { Decision } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Broken, Check } from "../check.ts";
import type { Predicate } from "../grammar/predicate.ts";

/** A row of the table of forms: how a form is read, shown and decided. */
export type Form<C extends Check = Check> = {
  name: C["form"];
  title: string;
  examples: readonly string[];
  /** The evidence that the check reads, as a phrase. */
  reads: string;
  /** The cases in which the check is inconclusive, as a phrase. */
  unsure: string;
  /** True when a judge can decide from the words and the tool calls where the check is inconclusive. */
  judgeCanTell: boolean;
  /** Returns whether the check can be decided only with the sound of the conversation. */
  needsSound?: (check: C) => boolean;
  /** Matches sentences that are nearly in the form, without their subject. */
  nearly: RegExp;
  /** Returns the check when the whole predicate is in the form. */
  read: (predicate: Predicate) => C | Broken | undefined;
  /** Returns the check in one sentence. */
  echo: (check: C) => string;
  /** Returns the tools whose success decides the check. */
  successOf?: (check: C) => string[];
  decide: (check: C, evidence: Evidence) => Decision;
};
