import { z } from "zod";
import { count } from "../core/numbers.ts";

/** Members of an answer with counts of simulations by verdict. */
export const tallyShape = {
  played: count("Number of simulations with a final verdict other than `errored`."),
  passed: count(),
  failed: count(),
  undecided: count("Number of simulations with the verdict `inconclusive` or `not_graded`. They count as not passed."),
  errored: count("Number of simulations that ended in an error of the service or the network. They are apart."),
};

/** Schema of pass^k for k = 1, 2, … */
export const passHatK = z.array(z.number().min(0).max(1)).meta({
  description:
    "pass^k for k = 1, 2, …: probability that k plays of a test all pass, as the mean over tests. It ends at the smallest number of plays of a test, at most 10.",
});
