import type { BuiltInName } from "../grading/built-in/built-in.ts";

/** What a grader looks at, as its version freezes it. */
export type Definition =
  | { kind: "expected_behaviors" }
  | { kind: "check"; check: string }
  | { kind: "latency"; maxMs: number; percentile: number }
  | { kind: "llm"; criterion: string; passesWhen: string | null; failsWhen: string | null }
  | { kind: "built_in"; name: BuiltInName };

/** One version of a grader, as a run takes it along. */
export type GraderVersion = {
  id: string;
  graderId: string;
  name: string;
  definition: Definition;
  /** False: shown, and without influence on the verdict. */
  counts: boolean;
};
