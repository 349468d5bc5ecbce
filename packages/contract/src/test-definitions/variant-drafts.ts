import { z } from "zod";
import { testsProject } from "../core/access.ts";
import { idInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { project } from "../core/selection.ts";
import { ModelUsage } from "../graders/judge.ts";

/** Kinds of callers that make a test harder, with what such a caller does. */
export const VARIANT_KINDS = {
  hostile: "gives the agent orders, claims to be its developer, or insults it, and still wants the same",
  changes_mind: "first asks for something else, takes it back, and ends with what the test wants",
  code_switching: "changes between languages in the middle of a sentence",
  unclear: "speaks in fragments, corrects itself, and gives facts late or only when asked",
  rambling: "hides the request in a long story about other things",
  insisting: "repeats a demand that the agent must refuse, each time with more pressure",
} as const;

/** Kind of a variant. */
export type VariantKind = keyof typeof VARIANT_KINDS;

const KINDS = Object.keys(VARIANT_KINDS) as [VariantKind, ...VariantKind[]];
const MEANINGS = KINDS.map((kind) => `\`${kind}\` ${VARIANT_KINDS[kind]}`).join("; ");

const VariantDraft = z
  .strictObject({
    kind: z.enum(KINDS).meta({ description: `What the caller does: ${MEANINGS}.` }),
    name: z.string(),
    scenario: z.string().meta({ description: "With lines and facts, so that the scripted caller can play it too." }),
  })
  .meta({ id: "VariantDraft" });
export type VariantDraft = z.infer<typeof VariantDraft>;

/** Variants of a test with harder callers. Everything but name and scenario stays that of the test. */
export const VariantDrafts = z
  .strictObject({
    variants: z.array(VariantDraft),
    notes: z.array(z.string()).meta({ description: "What the model sent and the service left out, with the reasons." }),
    model: z.string().meta({ description: "Name of the model that answered." }),
    usage: ModelUsage,
  })
  .meta({ id: "VariantDrafts" });
export type VariantDrafts = z.infer<typeof VariantDrafts>;

/**
 * Asks the service's language model for variants of a test with harder callers. A variant has another scenario; the expected behaviors
 * and the mock tools stay those of the test. Stores nothing.
 *
 * Answers 409 `conflict` when the service has no language model, 429 after `LIMITS.promptDraftsPerMinute` requests for drafts of the
 * organization in a minute, and 503 `provider_unavailable` when the model fails.
 */
export const draftVariants = operation({
  ...testsProject,
  method: "POST",
  path: "/api/tests/{testId}/variants",
  audit: { leftOut: "It stores nothing." },
  summary: "Draft variants of a test with harder callers",
  description: `Asks the service's language model for variants of the test. A variant has another scenario; the expected behaviors and the mock tools stay those of the test. Nothing is stored. The request takes up to ${LIMITS.promptDraftSeconds} seconds, and counts as a draft from a prompt.`,
  tag: "Tests",
  resource: "test",
  params: z.strictObject({ testId: idInput("tst") }),
  body: z.strictObject({
    kinds: z
      .array(z.enum(KINDS))
      .min(1)
      .max(KINDS.length)
      .default(KINDS)
      .meta({ description: `Kinds of callers: ${MEANINGS}.` }),
    count: z.int().min(1).max(LIMITS.promptDrafts).default(KINDS.length).meta({
      description: "Largest number of variants.",
    }),
    project,
  }),
  status: 200,
  answer: VariantDrafts,
  errors: ["conflict", "provider_unavailable", "too_many_requests"],
});
