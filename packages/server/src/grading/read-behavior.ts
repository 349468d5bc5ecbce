import type { BehaviorReading } from "@svc/contract";
import { problemOf } from "./broken-sentence.ts";
import { sentenceOf } from "./check-sentence.ts";
import type { Check } from "./checks/check.ts";
import { parseCheck } from "./checks/parse-check.ts";

const UNREADABLE = "This sentence cannot be read.";
const BY_JUDGE = "The judge, a language model, decides whether this is so.";
const BY_NOBODY = "The sentence needs a judge, and the service has none.";

/** Returns how a behavior is read: who decides it, its meaning, and the correction of a sentence that cannot be read. */
export function readBehavior(behavior: string, hasJudge: boolean): BehaviorReading {
  const check = parseCheck(behavior);
  const problem = problemOf(behavior, check);
  const reading = (decidedBy: BehaviorReading["decidedBy"], sentence: string, form: Check["form"] | null = null) => ({
    behavior,
    decidedBy,
    form,
    reading: sentence,
    suggestion: null,
    problem,
  });
  if (problem !== null) return reading("nobody", UNREADABLE);
  if (check !== undefined) return reading("check", sentenceOf(check), check.form);
  return hasJudge ? reading("judge", BY_JUDGE) : reading("nobody", BY_NOBODY);
}
