import { z } from "zod";
import { testsProject } from "../core/access.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { projectId } from "../core/selection.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { ModelUsage } from "../graders/judge.ts";

const PromptRule = z
  .strictObject({
    quote: z.string().meta({ description: "Words of the prompt that state the rule." }),
    tests: z.array(z.string()).meta({ description: "Names of the drafts that test the rule. Empty: none does." }),
  })
  .meta({ id: "PromptRule" });
export type PromptRule = z.infer<typeof PromptRule>;

const PromptDraft = z
  .strictObject({
    name: z.string(),
    scenario: z.string().meta({ description: "With lines and facts, so that the scripted caller can play it too." }),
    expectedBehaviors: z.array(z.string()),
    mockTools: z.array(
      z.strictObject({
        tool: z.string(),
        answer: z.unknown().optional(),
        error: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "PromptDraft" });
export type PromptDraft = z.infer<typeof PromptDraft>;

/** Drafts of tests from an agent's prompt, with the rules of the prompt that they test. */
export const PromptDrafts = z
  .strictObject({
    rules: z.array(PromptRule).meta({ description: "The rules that the model found in the prompt, in its order." }),
    drafts: z.array(PromptDraft),
    notes: z.array(z.string()).meta({ description: "What the model sent and the service left out, with the reasons." }),
    model: z.string().meta({ description: "Name of the model that answered." }),
    usage: ModelUsage,
  })
  .meta({ id: "PromptDrafts" });
export type PromptDrafts = z.infer<typeof PromptDrafts>;

/**
 * Asks the service's language model for tests of an agent's prompt. Stores nothing: the author reads the drafts and creates tests from
 * them. Leaves out each rule whose words are not in the prompt, and each draft that could not be a test.
 *
 * Answers 409 `conflict` when the service has no language model, 429 after `LIMITS.promptDraftsPerMinute` requests of the
 * organization in a minute, and 503 `provider_unavailable` when the model fails.
 */
export const draftFromPrompt = operation({
  ...testsProject,
  method: "POST",
  path: "/v1/tests/drafts",
  audit: { leftOut: "It stores nothing." },
  summary: "Draft tests from an agent's prompt",
  description: `Asks the service's language model for rules in the prompt and for tests of them. Nothing is stored. A rule is left out when its words are not in the prompt, and a draft when it could not be a test; \`notes\` says which. The request takes up to ${LIMITS.promptDraftSeconds} seconds. An organization has at most ${LIMITS.promptDraftsPerMinute} in a minute.`,
  tag: "Tests",
  body: z.strictObject({
    prompt: textUpTo(LIMITS.promptCharacters).meta({ description: "Instructions of the agent." }),
    tools: z
      .array(
        z.strictObject({
          name: nameText(),
          description: textUpTo(LIMITS.behaviorCharacters).optional(),
        }),
      )
      .max(LIMITS.toolsOfPrompt)
      .default([])
      .meta({ description: "Tools of the agent." }),
    count: z.int().min(1).max(LIMITS.promptDrafts).default(10).meta({ description: "Largest number of drafts." }),
    projectId,
  }),
  status: 200,
  answer: PromptDrafts,
  errors: ["conflict", "provider_unavailable", "too_many_requests"],
});
