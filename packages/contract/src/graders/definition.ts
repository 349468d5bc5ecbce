import { z } from "zod";
import { BUILT_IN_GRADERS } from "./built-in.ts";
import { LIMITS } from "../core/limits.ts";
import { textUpTo } from "../core/texts.ts";

const text = (description: string) => textUpTo(LIMITS.behaviorCharacters).meta({ description });

/**
 * Rule of a grader, by its `kind`:
 *
 * - `expected_behaviors`: grades each expected behavior of the simulation's test, by code or by the judge.
 * - `check`: grades one sentence in a form that code decides (docs/behaviors.md).
 * - `latency`: passes when a percentile (nearest rank) of the response latency is at most `maxMs` milliseconds. Typed conversations
 *   use the text response time instead.
 * - `llm`: the judge grades a custom criterion. Without a language model the verdict is `not_graded`.
 * - `built_in`: applies a grader that ships with the service.
 */
export const GraderDefinition = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({ kind: z.literal("expected_behaviors") }),
      z.strictObject({ kind: z.literal("check"), check: text("A sentence in one of the forms that code decides.") }),
      z.strictObject({
        kind: z.literal("latency"),
        maxMs: z
          .int()
          .min(1)
          .max(LIMITS.graderLatencyMs)
          .meta({
            description: "Milliseconds from the end of the caller's turn to the agent's answer.",
            override: { type: "integer", minimum: 1, maximum: LIMITS.graderLatencyMs },
          }),
        percentile: z.literal([50, 90, 95, 99]),
      }),
      z.strictObject({
        kind: z.literal("llm"),
        criterion: text("The behavior that the agent must show."),
        passesWhen: text("Description of a pass.").optional(),
        failsWhen: text("Description of a failure.").optional(),
      }),
      z.strictObject({ kind: z.literal("built_in"), name: z.enum(BUILT_IN_GRADERS) }),
    ],
    { error: "Send an object whose `kind` is expected_behaviors, check, latency, llm or built_in." },
  )
  .meta({ id: "GraderDefinition" });
export type GraderDefinition = z.infer<typeof GraderDefinition>;
