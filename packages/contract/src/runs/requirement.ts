/** The share of a test's iterations that must pass; `text` is the form in which a person wrote it. */
export type Requirement = { text: string; passed: number; of: number };

/** What a requirement says about a test or a run. */
export const OUTCOMES = ["passed", "failed", "undecided"] as const;

/** A member of `OUTCOMES`. */
export type Outcome = (typeof OUTCOMES)[number];

/** The requirement of a run that names none: every iteration must pass. */
export const EVERY_ITERATION: Requirement = { text: "all", passed: 1, of: 1 };

/** Returns the requirement in `4/5` or `80%`; undefined for any other text. */
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

/** The iterations of one test with one persona. Errors and undecided iterations are neither passed nor failed. */
export type IterationCounts = { iterations: number; passed: number; failed: number };

/**
 * Returns whether enough iterations of the test passed. An iteration without a decision counts as not passed; the outcome is
 * `undecided` when its decision could still meet the requirement.
 */
export function outcomeOfIterations(
  { iterations, passed, failed }: IterationCounts,
  requirement: Requirement,
): Outcome {
  const needed = Math.ceil((requirement.passed * iterations) / requirement.of - 1e-9);
  if (passed >= needed) return "passed";
  return iterations - failed >= needed ? "undecided" : "failed";
}

/** Returns the outcome of tests together: failed when one failed, and passed when there are some and each one passed. */
export function outcomeOfAll(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes("failed")) return "failed";
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === "passed") ? "passed" : "undecided";
}
