import { z } from "zod";
import { BUILT_IN_GRADERS } from "./built-in.ts";
import { LIMITS } from "../core/limits.ts";
import { textUpTo } from "../core/texts.ts";

const text = (description: string) => textUpTo(LIMITS.behaviorCharacters).meta({ description });

/**
 * What a grader looks at, by its `kind`:
 *
 * - `expected_behaviors`: each expected behavior of the simulation's test, by code or by the judge.
 * - `check`: one sentence in a form that code decides (docs/behaviors.md).
 * - `latency`: the agent's answers come within `maxMs` milliseconds at a percentile, by nearest rank.
 * - `llm`: a criterion of its own, by the judge; without a language model it is `not_graded`.
 * - `built_in`: one of those that ship with the service.
 */
export const GraderDefinition = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({ kind: z.literal("expected_behaviors") }),
      z.strictObject({ kind: z.literal("check"), check: text("A sentence in a form that code decides.") }),
      z.strictObject({
        kind: z.literal("latency"),
        maxMs: z
          .int()
          .min(1)
          .max(LIMITS.graderLatencyMs)
          .meta({
            description: "Milliseconds from the end of the caller's turn to the answer.",
            override: { type: "integer", minimum: 1, maximum: LIMITS.graderLatencyMs },
          }),
        percentile: z.literal([50, 90, 95, 99]),
      }),
      z.strictObject({
        kind: z.literal("llm"),
        criterion: text("What the agent must do."),
        passesWhen: text("What a pass looks like.").optional(),
        failsWhen: text("What a failure looks like.").optional(),
      }),
      z.strictObject({ kind: z.literal("built_in"), name: z.enum(BUILT_IN_GRADERS) }),
    ],
    { error: "Send an object whose `kind` is expected_behaviors, check, latency, llm or built_in." },
  )
  .meta({ id: "GraderDefinition" });
export type GraderDefinition = z.infer<typeof GraderDefinition>;
