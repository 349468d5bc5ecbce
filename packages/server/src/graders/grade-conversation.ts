import type { GraderDefinition } from "@svc/contract";
import { gradeBuiltIn } from "../grading/built-in/built-in.ts";
import { decide } from "../grading/checks/decide.ts";
import { type Decision, notGraded, type Proof } from "../grading/decision.ts";
import type { Evidence } from "../grading/evidence.ts";
import { gradeBehavior, NO_JUDGE } from "../grading/expected-behaviors.ts";
import { judgeBehavior, type Judgement } from "../grading/judge/judge.ts";
import { createJudge } from "../grading/judge/model.ts";
import { readBehavior } from "../grading/read-behavior.ts";
import { inParallel } from "../in-parallel.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { NewGrade, PinnedGrader } from "./grader.ts";

type GradedConversation = {
  evidence: Evidence;
  behaviors: readonly string[];
  graders: readonly PinnedGrader[];
  /** Fixes the order in which a judge sees its material. */
  seed: string;
  /** Ends the questions to the judge; the grades are then useless. */
  signal: AbortSignal;
};

/** Grades one conversation; returns the grades in the order of the graders and of the behaviors. */
export type GradeConversation = (conversation: GradedConversation) => Promise<NewGrade[]>;

type CriterionGrade = Pick<
  NewGrade,
  "criterion" | "reading" | "decidedBy" | "verdict" | "reason" | "evidence" | "confidence" | "votes"
>;

/** The definition of a grader with one criterion. */
type SingleDefinition = Exclude<GraderDefinition, { kind: "expected_behaviors" }>;

const CRITERIA_AT_ONCE = 4;

/** Creates the function that grades conversations. Without a model, only code decides. */
export function createConversationGrader(model: LanguageModel | undefined): GradeConversation {
  return async ({ evidence, behaviors, graders, seed, signal }) => {
    const judge = model ? createJudge(model, signal) : null;
    const criteria = graders.flatMap((grader) => {
      const { definition } = grader;
      if (definition.kind !== "expected_behaviors")
        return [{ grader, grade: () => gradeDefinition(grader.name, definition) }];
      return behaviors.map((behavior) => ({ grader, grade: () => gradeSentence(behavior) }));
    });
    const grades: NewGrade[] = [];
    await inParallel([...criteria.entries()], CRITERIA_AT_ONCE, async ([index, { grader, grade }]) => {
      grades[index] = gradeOf(grader, await grade());
    });
    return grades;

    async function gradeSentence(behavior: string): Promise<CriterionGrade> {
      const { by, decision, judgement } = await gradeBehavior(behavior, evidence, judge, seed);
      const grade = judgement ? byJudge(behavior, judgement) : byCode(behavior, by, decision);
      return { ...grade, reading: readBehavior(behavior, judge !== null).reading };
    }

    async function gradeDefinition(name: string, definition: SingleDefinition): Promise<CriterionGrade> {
      switch (definition.kind) {
        case "check":
          return gradeSentence(definition.check);
        case "latency": {
          const { maxMs: ms, percentile } = definition;
          const decision = decide({ form: "responds_within", ms, percentile }, evidence);
          return byCode(`responds within ${ms} ms p${percentile}`, "check", decision);
        }
        case "llm": {
          if (judge === null) return byCode(name, "none", notGraded(NO_JUDGE));
          const criterion = criterionOf(definition);
          return byJudge(name, await judgeBehavior(criterion, evidence, judge, `${seed} ${criterion}`));
        }
        case "built_in":
          return byCode(name, "built_in", gradeBuiltIn(definition.name, evidence));
      }
    }
  };
}

/** Returns a grade `errored` for each grader, for a conversation that could not be graded through our fault. */
export const erroredGrades = (graders: readonly PinnedGrader[], reason: string): NewGrade[] =>
  graders.map((grader) => gradeOf(grader, byCode(grader.name, "none", { verdict: "errored", reason, evidence: [] })));

const gradeOf = (grader: PinnedGrader, ofCriterion: CriterionGrade): NewGrade => ({
  graderId: grader.graderId,
  graderVersionId: grader.id,
  graderName: grader.name,
  ...ofCriterion,
  counts: grader.counts,
});

function criterionOf({ criterion, passesWhen, failsWhen }: GraderDefinition & { kind: "llm" }): string {
  const lines = [criterion];
  if (passesWhen !== undefined) lines.push(`Passes when: ${passesWhen}`);
  if (failsWhen !== undefined) lines.push(`Fails when: ${failsWhen}`);
  return lines.join("\n");
}

function byJudge(criterion: string, { decision, votes, model, promptVersion }: Judgement): CriterionGrade {
  return {
    ...byCode(criterion, "judge", decision),
    confidence: votes.length === 1 ? (votes[0]!.confidence ?? null) : null,
    votes: votes.map((vote) => ({ ...vote, model, promptVersion })),
  };
}

const byCode = (
  criterion: string,
  decidedBy: NewGrade["decidedBy"],
  { verdict, reason, evidence }: Decision,
): CriterionGrade => ({
  criterion,
  reading: null,
  decidedBy,
  verdict,
  reason,
  evidence: evidence.map(evidenceOf),
  confidence: null,
  votes: [],
});

const evidenceOf = (proof: Proof): NewGrade["evidence"][number] =>
  "quote" in proof
    ? { turn: proof.turn, quote: proof.quote, toolCall: null }
    : { turn: null, quote: null, toolCall: proof.toolCall };
