import { type Alert, type Grade, LIMITS, type ReviewReason, type ReviewSettings, type Verdict } from "@svc/contract";
import { isDrawn } from "../../../base/draw.ts";
import { AppError } from "../../../base/errors.ts";
import type { NewGrade } from "../grader.ts";

export type GradeInDoubt = Pick<
  NewGrade,
  "graderId" | "graderVersionId" | "graderName" | "decidedBy" | "verdict" | "confidence" | "votes"
> & { id: string };

/** A reason to review a conversation. A conversation has at most one reason of each kind with the same `about`. */
export type NewReason = {
  reason: ReviewReason;
  /** Id of the object that the reason concerns, such as a grader version or a failure group. Empty for a reason that needs no id. */
  about: string;
  graderId: string | null;
  sentence: string;
};

/** What a conversation adds to the review queue: nothing when `reasons` is empty. */
export type Review = { reasons: NewReason[]; gradeIds: string[]; peopleWanted: 1 | 2 };

/**
 * Seed with which conversations are drawn that two people review. With it, this draw is independent of the draw of conversations for the
 * queue.
 */
const SECOND = "second person";

/**
 * Decides whether people review a conversation. The grades to label are the grades in doubt, or all grades if the conversation was drawn at
 * random or `isAwaited`.
 */
export function reviewOf(
  settings: ReviewSettings,
  seed: string,
  { source, name }: { source: "production" | "simulation"; name: string },
  grades: readonly GradeInDoubt[],
  isAwaited = false,
): Review {
  const peopleWanted = isDrawn(`${seed} ${SECOND}`, name, settings.secondPersonShare) ? 2 : 1;
  const asked = hasScope(settings, source) ? grades.filter((grade) => isAsked(settings, grade)) : [];
  const isOn = (reason: ReviewReason) => settings.sources.includes(reason);
  const split = isOn("disagreement") ? asked.filter((grade) => tallyOf(grade).size > 1) : [];
  const unsure = isOn("low_confidence") ? asked.filter((grade) => isBelow(grade, settings.confidenceBelow)) : [];
  const isRandom = isOn("random") && asked.length > 0 && isDrawn(seed, name, settings.randomShare);
  const reasons = [
    ...(isRandom ? [randomReason(settings.randomShare)] : []),
    ...ofVersions("disagreement", split, splitSentence),
    ...ofVersions("low_confidence", unsure, (own) => unsureSentence(own, settings.confidenceBelow)),
  ];
  return {
    reasons,
    gradeIds: gradesToLabel(asked, new Set([...split, ...unsure]), isRandom || isAwaited),
    peopleWanted,
  };
}

export const hasScope = ({ scope }: ReviewSettings, source: "production" | "simulation"): boolean =>
  scope === "both" || (scope === "production") === (source === "production");

const isAsked = ({ graderIds }: ReviewSettings, { graderId, decidedBy, verdict }: GradeInDoubt): boolean =>
  verdict !== "errored" &&
  verdict !== "not_graded" &&
  (graderIds.length === 0 ? decidedBy === "judge" : graderIds.includes(graderId));

/** Returns the ids of the grades to label. If there are too many grades, grades in doubt take precedence. */
function gradesToLabel(asked: readonly GradeInDoubt[], inDoubt: ReadonlySet<GradeInDoubt>, all: boolean): string[] {
  const kept = new Set([...inDoubt, ...(all ? asked : [])].slice(0, LIMITS.gradesOfReviewItem));
  return asked.filter((grade) => kept.has(grade)).map(({ id }) => id);
}

const DECIDING = ["passed", "failed", "inconclusive"] as const satisfies Verdict[];

/** Counts the votes of a grade by verdict. An errored vote does not count. */
function tallyOf({ votes }: GradeInDoubt): Map<string, number> {
  const tally = new Map<string, number>();
  for (const vote of votes) {
    const verdict = DECIDING.find((name) => name === (vote as { verdict?: unknown } | null)?.verdict);
    if (verdict !== undefined) tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
  }
  return tally;
}

const isBelow = ({ confidence }: GradeInDoubt, limit: number): boolean => confidence !== null && confidence < limit;

const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;

const randomReason = (share: number): NewReason => ({
  reason: "random",
  about: "",
  graderId: null,
  sentence: `It is one of the ${percent(share)} of conversations that are drawn by chance.`,
});

const ofVersions = (
  reason: ReviewReason,
  grades: readonly GradeInDoubt[],
  sentenceOf: (own: readonly GradeInDoubt[]) => string,
): NewReason[] =>
  [...Map.groupBy(grades, ({ graderVersionId }) => graderVersionId)].map(([about, own]) => ({
    reason,
    about,
    graderId: own[0]!.graderId,
    sentence: sentenceOf(own),
  }));

function splitSentence([first, ...more]: readonly GradeInDoubt[]): string {
  const of = `The judge's votes on “${first!.graderName}” differ`;
  if (more.length > 0) return `${of} in ${more.length + 1} grades.`;
  const tally = tallyOf(first!);
  return `${of}: ${DECIDING.flatMap((verdict) => (tally.has(verdict) ? [`${tally.get(verdict)} ${verdict}`] : [])).join(", ")}.`;
}

function unsureSentence([first, ...more]: readonly GradeInDoubt[], limit: number): string {
  const of = `The judge decided “${first!.graderName}”`;
  return more.length > 0
    ? `${of} with a confidence below ${percent(limit)} in ${more.length + 1} grades.`
    : `${of} with a confidence of ${percent(first!.confidence!)}, below ${percent(limit)}.`;
}

/** Items with a lower number come first in the queue. */
export const urgencyOf = (reason: ReviewReason): number => (reason === "alert" ? 0 : 1);

export type RaisedAlert = {
  id: string;
  rule_name: string;
  agent: string | null;
  what: Alert["what"];
};

export const alertReason = ({ id, rule_name, what, agent }: RaisedAlert) => ({
  reason: "alert" as const,
  about: "",
  graderId: null,
  alertId: id,
  sentence: `It is one of the conversations of the alert “${rule_name}”: ${what}${agent === null ? "" : ` of ${agent}`}.`,
});

/**
 * Returns the grade of an item to label. Without `gradeId`, this is the only grade that the person has not labeled. Throws if the item has
 * no such grade, or has several.
 */
export function decideGrade(grades: readonly Grade[], gradeId: string | undefined, userId: string): Grade {
  if (grades.length === 0)
    throw new AppError(
      "unprocessable",
      "The item has no grade to label: it waits for one, or its conversation was erased. Take the next item.",
    );
  if (gradeId !== undefined) {
    const named = grades.find(({ id }) => id === gradeId);
    if (named === undefined)
      throw new AppError(
        "unprocessable",
        `The item has no grade ${gradeId}. It has ${grades.map(({ id }) => id).join(", ")}.`,
      );
    return named;
  }
  if (grades.length === 1) return grades[0]!;
  const left = grades.filter(({ labels }) => !labels.some((label) => label.userId === userId));
  if (left.length === 1) return left[0]!;
  const choices = left.length === 0 ? grades : left;
  throw new AppError(
    "unprocessable",
    `Name the grade to label with \`gradeId\`: ${left.length === 0 ? "you have labeled all of" : "you have not labeled"} ${choices.map(({ id }) => id).join(", ")}.`,
  );
}
