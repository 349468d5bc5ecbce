import { z } from "zod";
import { count } from "../core/numbers.ts";

/** Members of an answer with counts of simulations by verdict. */
export const tallyShape = {
  played: count("Number of simulations with a final verdict other than `errored`."),
  passed: count(),
  failed: count(),
  undecided: count("Number of simulations with the verdict `inconclusive` or `not_graded`. They count as not passed."),
  errored: count(
    "Number of simulations that ended in an error of the service or the network. `played` does not include them.",
  ),
};

/** Schema of pass^k for k = 1, 2, … */
export const passHatK = z.array(z.number().min(0).max(1)).meta({
  description:
    "pass^k for k = 1, 2, …: the probability that k simulations of a test all pass, as the mean over the tests. The list ends at the smallest number of played simulations of a test, at most at k = 10.",
});
