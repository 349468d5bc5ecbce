/** Requirement of a run: at least `passed` of `of` iterations of each test must pass. `text` is what a person wrote. */
export type Requirement = { text: string; passed: number; of: number };

/** Outcomes of a requirement for a test or a run. */
export const OUTCOMES = ["passed", "failed", "undecided"] as const;

/** Outcome of a requirement for a test or a run. */
export type Outcome = (typeof OUTCOMES)[number];

/** Default requirement: every iteration must pass. */
export const EVERY_ITERATION: Requirement = { text: "all", passed: 1, of: 1 };

/** Parses a requirement in the form `4/5` or `80%`. Returns undefined for any other text, and for a share of 0 or above 1. */
export function readRequirement(text: string): Requirement | undefined {
  const [, passed, of] = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const [, percent] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*%\s*$/.exec(text) ?? [];
  const requirement = {
    text: text.trim(),
    passed: Number(passed ?? percent),
    of: passed === undefined ? 100 : Number(of),
  };
  return requirement.passed > 0 && requirement.passed <= requirement.of ? requirement : undefined;
}

/** Numbers of iterations of one test with one persona. Errored and undecided iterations are neither in `passed` nor in `failed`. */
export type IterationCounts = { iterations: number; passed: number; failed: number };

/**
 * Returns `passed` when enough iterations passed. Otherwise returns `undecided` when enough would have passed if every iteration
 * without a decision had passed, and else `failed`.
 */
export function outcomeOfIterations(
  { iterations, passed, failed }: IterationCounts,
  requirement: Requirement,
): Outcome {
  const needed = Math.ceil((requirement.passed * iterations) / requirement.of - 1e-9);
  if (passed >= needed) return "passed";
  return iterations - failed >= needed ? "undecided" : "failed";
}

/** Combines outcomes: `failed` when one is `failed`, `passed` when there is at least one and all are `passed`, else `undecided`. */
export function outcomeOfAll(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes("failed")) return "failed";
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === "passed") ? "passed" : "undecided";
}
