import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { textUpTo } from "../core/texts.ts";

/** How a run is played where nothing else is asked for. */
export const RUN_DEFAULTS = { iterations: 1, concurrency: 10, turnLimit: 60, timeLimitSeconds: 600 } as const;

const bounded = (min: number, max: number, fallback: number, description: string) =>
  z
    .int()
    .min(min)
    .max(max)
    .optional()
    .meta({ description, override: { type: "integer", minimum: min, maximum: max, default: fallback } });

/** How a run is played, as every way to start one takes it. */
export const runOptions = {
  name: textUpTo(LIMITS.nameCharacters).optional(),
  iterations: bounded(1, LIMITS.runIterations, RUN_DEFAULTS.iterations, "How often each test and persona is played."),
  concurrency: bounded(1, LIMITS.runConcurrency, RUN_DEFAULTS.concurrency, "Simulations at once."),
};

/** Who calls, and how long a conversation may be. */
export const runLimits = {
  caller: z
    .enum(["scripted", "model"])
    .optional()
    .meta({ description: "Default: `model` when the service has a language model, else `scripted`." }),
  turnLimit: bounded(2, LIMITS.runTurns, RUN_DEFAULTS.turnLimit, "Turns of both sides."),
  timeLimitSeconds: bounded(1, LIMITS.runSeconds, RUN_DEFAULTS.timeLimitSeconds, "Seconds of one conversation."),
};
