import { gradeBuiltIn } from "../grading/built-in/built-in.ts";
import { decide } from "../grading/checks/decide.ts";
import { type Decision, notGraded, type Proof } from "../grading/decision.ts";
import type { Evidence } from "../grading/evidence.ts";
import { gradeBehavior, NO_JUDGE } from "../grading/expected-behaviors.ts";
import { judgeBehavior, type Judgement } from "../grading/judge/judge.ts";
import { createJudge } from "../grading/judge/model.ts";
import { inParallel } from "../in-parallel.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { Definition, NewGrade, PinnedGrader } from "./grader.ts";

type Grading = {
  evidence: Evidence;
  behaviors: readonly string[];
  graders: readonly PinnedGrader[];
  /** Of the order in which a judge is shown things. */
  seed: string;
  /** Ends the judge's questions; the grades are then worth nothing. */
  signal: AbortSignal;
};

export type GradeConversation = (grading: Grading) => Promise<NewGrade[]>;

type Decided = Pick<NewGrade, "criterion" | "decidedBy" | "verdict" | "reason" | "evidence" | "confidence" | "votes">;

type AloneDefinition = Exclude<Definition, { kind: "expected_behaviors" }>;

const JUDGED_AT_ONCE = 4;

/** Gives every verdict on one conversation, in the order of graders and behaviors. Without a model only code decides. */
export function openGrade(model: LanguageModel | undefined): GradeConversation {
  return async ({ evidence, behaviors, graders, seed, signal }) => {
    const judge = model ? createJudge(model, signal) : null;
    const criteria = graders.flatMap((grader) => {
      const { definition } = grader;
      if (definition.kind !== "expected_behaviors")
        return [{ grader, verdict: () => byDefinition(grader.name, definition) }];
      return behaviors.map((behavior) => ({ grader, verdict: () => onBehavior(behavior) }));
    });
    const grades: NewGrade[] = [];
    await inParallel([...criteria.entries()], JUDGED_AT_ONCE, async ([at, { grader, verdict }]) => {
      grades[at] = gradeOf(grader, await verdict());
    });
    return grades;

    async function onBehavior(behavior: string): Promise<Decided> {
      const { by, decision, judgement } = await gradeBehavior(behavior, evidence, judge, seed);
      return judgement ? byJudge(behavior, judgement) : byCode(behavior, by, decision);
    }

    async function byDefinition(name: string, definition: AloneDefinition): Promise<Decided> {
      switch (definition.kind) {
        case "check":
          return onBehavior(definition.check);
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

/** What stands in the place of verdicts that a fault of ours prevented. */
export const erroredGrades = (graders: readonly PinnedGrader[], reason: string): NewGrade[] =>
  graders.map((grader) => gradeOf(grader, byCode(grader.name, "none", { verdict: "errored", reason, evidence: [] })));

const gradeOf = (grader: PinnedGrader, decided: Decided): NewGrade => ({
  graderId: grader.graderId,
  graderVersionId: grader.id,
  graderName: grader.name,
  ...decided,
  counts: grader.counts,
});

const criterionOf = ({ criterion, passesWhen, failsWhen }: Definition & { kind: "llm" }): string =>
  [
    criterion,
    ...(passesWhen === undefined ? [] : [`Passes when: ${passesWhen}`]),
    ...(failsWhen === undefined ? [] : [`Fails when: ${failsWhen}`]),
  ].join("\n");

function byJudge(criterion: string, { decision, votes, model, promptVersion }: Judgement): Decided {
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
