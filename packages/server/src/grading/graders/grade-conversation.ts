import type { GraderDefinition } from "@svc/contract";
import { gradeBuiltIn } from "../built-in/built-in.ts";
import { decide } from "../checks/table.ts";
import { type Decision, notGraded, type Proof } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { decideByCode, NO_JUDGE } from "../expected-behaviors.ts";
import { judgeBehaviors, type Judgement } from "../judge/judge.ts";
import { createJudge, type Spending } from "../judge/model.ts";
import { readBehavior } from "../read-behavior.ts";
import type { LanguageModels } from "../language-model/open.ts";
import type { NewGrade, PinnedGrader } from "./grader.ts";

type GradedConversation = {
  projectId: string;
  evidence: Evidence;
  behaviors: readonly string[];
  graders: readonly PinnedGrader[];
  /** Seed for the order in which a judge sees the behaviors. */
  seed: string;
  /** Cancels the requests to the judge. The grades of a canceled grading must not be used. */
  signal: AbortSignal;
  spending?: Spending;
};

/** Returns the grades in the order of the graders and of the behaviors. */
export type GradeConversation = (conversation: GradedConversation) => Promise<NewGrade[]>;

type CriterionGrade = Omit<NewGrade, "graderId" | "graderVersionId" | "graderName" | "counts">;

type SingleDefinition = Exclude<GraderDefinition, { kind: "expected_behaviors" }>;

type Criterion = { grade: CriterionGrade } | { criterion: string; reading: string | null; forJudge: string };

/** Creates the function that grades a conversation. Without a language model, only code decides. */
export function createConversationGrader(modelOf: LanguageModels["ofProject"]): GradeConversation {
  return async ({ projectId, evidence, behaviors, graders, seed, signal, spending }) => {
    const model = await modelOf(projectId);
    const criteria = graders.flatMap((grader) => {
      const { definition } = grader;
      const ofGrader =
        definition.kind === "expected_behaviors"
          ? behaviors.map(sentence)
          : [definitionCriterion(grader.name, definition)];
      return ofGrader.map((criterion) => ({ grader, criterion }));
    });
    const forJudge = criteria.flatMap(({ criterion }) => ("forJudge" in criterion ? criterion.forJudge : []));
    const judgements = model
      ? (await judgeBehaviors(forJudge, evidence, createJudge(model, { signal, spending }), seed)).values()
      : [].values();
    return criteria.map(({ grader, criterion }) =>
      gradeOf(
        grader,
        "grade" in criterion ? criterion.grade : byJudge(criterion, judgements.next().value as Judgement),
      ),
    );

    function sentence(behavior: string): Criterion {
      const decided = decideByCode(behavior, evidence, model !== undefined);
      const { reading } = readBehavior(behavior, model !== undefined, { succeedsWhen: evidence.succeedsWhen });
      return decided
        ? { grade: { ...byCode(behavior, decided.by, decided.decision), reading } }
        : { criterion: behavior, reading, forJudge: behavior };
    }

    function definitionCriterion(name: string, definition: SingleDefinition): Criterion {
      switch (definition.kind) {
        case "check":
          return sentence(definition.check);
        case "latency": {
          const { maxMs: ms, percentile } = definition;
          const decision = decide({ form: "responds_within", ms, percentile }, evidence);
          return { grade: byCode(`responds within ${ms} ms p${percentile}`, "check", decision) };
        }
        case "llm":
          if (model === undefined) return { grade: byCode(name, "none", notGraded(NO_JUDGE)) };
          return { criterion: name, reading: null, forJudge: criterionOf(definition) };
        case "built_in":
          return { grade: byCode(name, "built_in", gradeBuiltIn(definition.name, evidence)) };
      }
    }
  };
}

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

const byJudge = (
  { criterion, reading }: { criterion: string; reading: string | null },
  { decision, confidence, votes, identity, usage }: Judgement,
): CriterionGrade => ({
  ...byCode(criterion, decision.verdict === "not_graded" ? "none" : "judge", decision),
  reading,
  confidence,
  votes,
  judge: identity,
  usage,
});

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
  judge: null,
  usage: null,
});

const evidenceOf = (proof: Proof): NewGrade["evidence"][number] =>
  "quote" in proof
    ? {
        turn: proof.turn,
        quote: proof.quote,
        ...(proof.speaker && { speaker: proof.speaker }),
        toolCall: null,
        ...(proof.at !== undefined && { at: proof.at }),
      }
    : { turn: null, quote: null, toolCall: proof.toolCall };
