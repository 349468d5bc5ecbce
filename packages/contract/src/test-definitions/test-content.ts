import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { MockTool } from "./mock-tools.ts";
import { textUpTo } from "../core/texts.ts";

/** Text in; the object form of a behavior is refused in words, as a value that cannot be acted on. */
const behavior = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value === "string") return;
    if (value !== null && typeof value === "object" && "behavior" in value) {
      context.addIssue({ code: "custom", message: "Send each expected behavior as plain text, without `priority`." });
    } else {
      context.addIssue({ code: "invalid_type", expected: "string", message: "Expected text." });
    }
  })
  .pipe(textUpTo(LIMITS.behaviorCharacters))
  .meta({
    description: "One behavior, in plain text.",
    override: { type: "string", minLength: 1, maxLength: LIMITS.behaviorCharacters },
  }) as z.ZodType<string, string>;

const name = textUpTo(LIMITS.nameCharacters).meta({ description: "Unique among the project's tests." });
const scenario = textUpTo(LIMITS.scenarioCharacters).meta({ description: "Who calls, why, and what they know." });
const behaviors = z.array(behavior).min(1).max(LIMITS.behaviors).meta({ description: "What the agent must do." });
const personas = z
  .array(textUpTo(LIMITS.nameCharacters))
  .max(LIMITS.personas)
  .meta({ description: "Names or ids of personas; each calls in separately. Empty: the project's default persona." });
const mockTools = z.array(MockTool).max(LIMITS.mockTools).meta({ description: "Win over the project's mock tools." });

/** What a person writes of a new test. */
export const newTest = {
  name,
  scenario,
  expected_behaviors: behaviors,
  personas: personas.optional(),
  mock_tools: mockTools.optional(),
};

/** What an edit changes: whatever is sent. */
export const changedTest = z.strictObject(newTest).partial().shape;
