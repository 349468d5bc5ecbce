import type { Grade } from "@svc/contract";
import { gradeBuiltIn } from "../grading/built-in/built-in.ts";
import { decide } from "../grading/checks/decide.ts";
import { parseCheck } from "../grading/checks/parse-check.ts";
import { type Decision, notGraded, type Proof } from "../grading/decision.ts";
import type { Evidence } from "../grading/evidence.ts";
import { judgeBehavior } from "../grading/judge/judge.ts";
import { openJudge } from "../grading/judge/model.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { Definition, GraderVersion } from "./grader.ts";

export type Grading = {
  evidence: Evidence;
  behaviors: readonly string[];
  graders: readonly GraderVersion[];
  /** Of the order in which a judge is shown things. */
  seed: string;
  /** Ends the judge's questions; the grades are then worth nothing. */
  signal: AbortSignal;
};

export type GradeConversation = (grading: Grading) => Promise<Grade[]>;

type Decided = Pick<Grade, "criterion" | "decidedBy" | "verdict" | "reason" | "evidence" | "confidence" | "votes">;

type AloneDefinition = Exclude<Definition, { kind: "expected_behaviors" }>;

const JUDGED_AT_ONCE = 4;

/** Gives every verdict on one conversation, in the order of graders and behaviors. Without a model only code decides. */
export function openGrade(model: LanguageModel | undefined): GradeConversation {
  return async ({ evidence, behaviors, graders, seed, signal }) => {
    const judge = model && openJudge(model, undefined, signal);
    const criteria = graders.flatMap((grader) => {
      const { definition } = grader;
      if (definition.kind !== "expected_behaviors")
        return [{ grader, verdict: () => byDefinition(grader.name, definition) }];
      return behaviors.map((behavior) => ({ grader, verdict: () => onBehavior(behavior) }));
    });
    const grades: Grade[] = [];
    for (let from = 0; from < criteria.length; from += JUDGED_AT_ONCE) {
      const some = criteria.slice(from, from + JUDGED_AT_ONCE);
      grades.push(...(await Promise.all(some.map(async ({ grader, verdict }) => gradeOf(grader, await verdict())))));
    }
    return grades;

    /** Code decides what it can; a model the rest. */
    async function onBehavior(behavior: string): Promise<Decided> {
      const check = parseCheck(behavior);
      return check ? byCode(behavior, "check", decide(check, evidence)) : byJudge(behavior, behavior);
    }

    async function byDefinition(name: string, definition: AloneDefinition): Promise<Decided> {
      switch (definition.kind) {
        case "check":
          return onBehavior(definition.check);
        case "latency":
          return onBehavior(`responds within ${definition.maxMs} ms p${definition.percentile}`);
        case "llm":
          return byJudge(name, criterionOf(definition));
        case "built_in":
          return byCode(name, "built_in", gradeBuiltIn(definition.name, evidence));
      }
    }

    async function byJudge(shown: string, criterion: string): Promise<Decided> {
      if (!judge) return byCode(shown, "none", notGraded(NO_JUDGE));
      const { decision, votes, model: name, promptVersion } = await judgeBehavior(criterion, evidence, judge, seed);
      const confidence = votes.length === 1 ? (votes[0]!.confidence ?? null) : null;
      return {
        ...byCode(shown, "judge", decision),
        confidence,
        votes: votes.map((vote) => ({ ...vote, model: name, promptVersion })),
      };
    }
  };
}

const NO_JUDGE = "Needs a judge: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, or write it as a check.";

const gradeOf = (grader: GraderVersion, decided: Decided): Grade => ({
  graderId: grader.graderId,
  graderVersionId: grader.id,
  graderName: grader.name,
  ...decided,
  counts: grader.counts,
});

const criterionOf = ({ criterion, passesWhen, failsWhen }: Definition & { kind: "llm" }): string =>
  [
    criterion,
    ...(passesWhen === null ? [] : [`Passes when: ${passesWhen}`]),
    ...(failsWhen === null ? [] : [`Fails when: ${failsWhen}`]),
  ].join("\n");

const byCode = (
  criterion: string,
  decidedBy: Grade["decidedBy"],
  { verdict, reason, evidence }: Decision,
): Decided => ({
  criterion,
  decidedBy,
  verdict,
  reason,
  evidence: evidence.map(shownProof),
  confidence: null,
  votes: [],
});

const shownProof = (proof: Proof) =>
  "quote" in proof
    ? { turn: proof.turn, quote: proof.quote, toolCall: null }
    : { turn: null, quote: null, toolCall: proof.toolCall };
