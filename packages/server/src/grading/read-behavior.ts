import type { BehaviorReading } from "@svc/contract";
import { formOf, FORMS, parseCheck, readingOf, suggestionFor } from "./checks/table.ts";
import type { SuccessConditions } from "./success-conditions.ts";

/** A sentence of each form that code decides. */
export const FORM_EXAMPLES = FORMS.map(({ examples }) => examples[0]!);

const UNREADABLE = "This sentence cannot be read.";
const BY_JUDGE = "The judge, a language model, decides whether this is so.";
const BY_NOBODY = "The sentence needs a judge, and the service has none.";

const NO_SOUND = "The connection carries no sound, so the behavior stays undecided.";

type ReadingOptions = {
  /** Whether the conversations have sound. Without sound, behaviors that need sound stay undecided. */
  hasSound?: boolean;
  succeedsWhen?: SuccessConditions | undefined;
};

export function readBehavior(
  behavior: string,
  hasJudge: boolean,
  { hasSound = true, succeedsWhen }: ReadingOptions = {},
): BehaviorReading {
  const check = parseCheck(behavior);
  const none = { behavior, form: null, suggestion: null, problem: null };
  if (check === undefined)
    return {
      ...none,
      decidedBy: hasJudge ? "judge" : "nobody",
      reading: hasJudge ? BY_JUDGE : BY_NOBODY,
      suggestion: suggestionFor(behavior),
    };
  if (check.form === "unreadable") return { ...none, decidedBy: "nobody", reading: UNREADABLE, problem: check.problem };
  const reading = { ...none, form: check.form, reading: readingOf(check, succeedsWhen) };
  if (!hasSound && formOf(check).needsSound?.(check) === true)
    return { ...reading, decidedBy: "nobody", reading: `${reading.reading} ${NO_SOUND}` };
  return { ...reading, decidedBy: "check" };
}
