import type { Grade, Verdict } from "@svc/contract";
import { gradeBuiltIn } from "../grading/built-in/built-in.ts";
import { decide } from "../grading/checks/decide.ts";
import { parseCheck } from "../grading/checks/parse-check.ts";
import type { Decision, Proof } from "../grading/decision.ts";
import type { Evidence } from "../grading/evidence.ts";
import type { Definition, GraderVersion } from "./grader.ts";

/** A model's judgement of one criterion; undefined: the service has no model. */
export type Judge = (
  criterion: string,
  evidence: Evidence,
  signal: AbortSignal,
) => Promise<Decision & { confidence: number | null; votes: unknown[] }>;

export type Grading = {
  evidence: Evidence;
  behaviors: readonly string[];
  graders: readonly GraderVersion[];
  judge: Judge | undefined;
  signal: AbortSignal;
};

type Decided = Pick<Grade, "criterion" | "decidedBy" | "verdict" | "reason" | "evidence" | "confidence" | "votes">;

const JUDGED_AT_ONCE = 4;

/** Every verdict on one conversation, in the order of graders and behaviors. */
export async function gradeConversation({ evidence, behaviors, graders, judge, signal }: Grading): Promise<Grade[]> {
  const criteria = graders.flatMap((grader) =>
    grader.definition.kind === "expected_behaviors"
      ? behaviors.map((criterion) => ({ grader, decide: () => onBehavior(criterion) }))
      : [{ grader, decide: () => byDefinition(grader.definition, grader.name) }],
  );
  const grades: Grade[] = [];
  for (let from = 0; from < criteria.length; from += JUDGED_AT_ONCE) {
    const decided = await Promise.all(
      criteria.slice(from, from + JUDGED_AT_ONCE).map(async ({ grader, decide: decideIt }) => ({
        graderId: grader.graderId,
        graderVersionId: grader.id,
        graderName: grader.name,
        ...(await decideIt()),
        counts: grader.counts,
      })),
    );
    grades.push(...decided);
  }
  return grades;

  /** Code decides what it can; a model the rest. */
  async function onBehavior(behavior: string): Promise<Decided> {
    const check = parseCheck(behavior);
    if (check) return byCode(behavior, "check", decide(check, evidence));
    return byJudge(behavior, behavior);
  }

  async function byDefinition(
    definition: Exclude<Definition, { kind: "expected_behaviors" }> | Definition,
    name: string,
  ): Promise<Decided> {
    switch (definition.kind) {
      case "check":
        return onBehavior(definition.check);
      case "latency": {
        const check = parseCheck(`responds within ${definition.maxMs} ms p${definition.percentile}`);
        return byCode(name, "check", decide(check!, evidence));
      }
      case "llm":
        return byJudge(name, criterionOf(definition));
      case "built_in":
        return byCode(name, "built_in", gradeBuiltIn(definition.name, evidence));
      case "expected_behaviors":
        throw new Error("expected behaviors are graded one by one");
    }
  }

  async function byJudge(shown: string, criterion: string): Promise<Decided> {
    if (!judge) {
      const reason = "Needs a judge: set SVC_LLM_BASE_URL and SVC_LLM_MODEL, or write the behavior as a check.";
      return { ...byCode(shown, "none", { verdict: "not_graded", evidence: [], reason }) };
    }
    const { confidence, votes, ...decision } = await judge(criterion, evidence, signal);
    return { ...byCode(shown, "judge", decision), confidence, votes };
  }
}

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
  verdict: verdict as Verdict,
  reason,
  evidence: evidence.map(shownProof),
  confidence: null,
  votes: [],
});

const shownProof = (proof: Proof) =>
  "quote" in proof
    ? { turn: proof.turn, quote: proof.quote, toolCall: null }
    : { turn: null, quote: null, toolCall: proof.toolCall };
