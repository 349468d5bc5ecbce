import { z } from "zod";
import { idInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { tag } from "../test-definitions/test-content.ts";

/** Default options of a run. `turnLimit` and `timeLimitSeconds` apply to each conversation. */
export const RUN_DEFAULTS = { iterations: 1, concurrency: 10, turnLimit: 60, timeLimitSeconds: 600 } as const;

const bounded = (min: number, max: number, fallback: number, description: string) =>
  z
    .int()
    .min(min)
    .max(max)
    .optional()
    .meta({ description, override: { type: "integer", minimum: min, maximum: max, default: fallback } });

/** Body members of every operation that starts a run. */
export const runOptions = {
  name: nameText().optional(),
  iterations: bounded(
    1,
    LIMITS.runIterations,
    RUN_DEFAULTS.iterations,
    "Number of times that each pair of test and persona is played.",
  ),
  concurrency: bounded(
    1,
    LIMITS.runConcurrency,
    RUN_DEFAULTS.concurrency,
    "Maximum number of simulations at the same time.",
  ),
};

/** Body members that select the tests and personas of a run, in addition to a suite or test versions. */
export const runSelection = {
  tags: z.array(tag).min(1).max(LIMITS.tags).optional().meta({
    description: "Only tests with at least one of these tags. Without `suiteId`, tests of the whole project.",
  }),
  personas: z.array(textUpTo(LIMITS.nameCharacters)).min(1).max(LIMITS.personas).optional().meta({
    description: "Names or ids of the personas that call. They replace the personas of each test.",
  }),
  notPassedIn: idInput("run").optional().meta({
    description:
      "Id of an earlier run (`run_…`). The new run plays only the pairs of test and persona that did not pass in the earlier run: an iteration failed, was undecided, ended in an error or has no verdict. It plays the test versions that this request selects.",
  }),
};

/** Body member that limits the cost of the judge in a run. */
export const maxCost = z.number().min(0).max(1_000_000).optional().meta({
  description:
    "Maximum cost of the judge, in the currency of the service's prices. At this cost, judging stops, and the remaining behaviors get the verdict `not_graded`. Requests in progress still finish. The service refuses this member when it does not know the prices of its model.",
});

/** Body member that lets a simulation pass although some of its expected behaviors are undecided. */
export const allowUngraded = z.boolean().optional().meta({
  description:
    "`true`: a simulation passes when at least one expected behavior passed and none failed, although others are undecided. Default: it passes only when every expected behavior passed.",
});

/** Body members for the caller, and for the limits of a conversation. */
export const runLimits = {
  caller: z.enum(["scripted", "model"]).optional().meta({
    description:
      "`scripted`: the caller says only the lines and facts that the scenario gives it. `model`: a language model plays the caller. Default: `model` if the service has a language model, otherwise `scripted`.",
  }),
  turnLimit: bounded(
    2,
    LIMITS.runTurns,
    RUN_DEFAULTS.turnLimit,
    "Maximum number of turns of one conversation, both sides together.",
  ),
  timeLimitSeconds: bounded(
    1,
    LIMITS.runSeconds,
    RUN_DEFAULTS.timeLimitSeconds,
    "Maximum length of one conversation in seconds.",
  ),
};
