import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { readCallerScript } from "./caller-lines.ts";
import { MockTool } from "./mock-tools.ts";
import { nameText, textUpTo } from "../core/texts.ts";

/**
 * Schema of an expected behavior, which is a text. An object with a member `behavior` gets its own error message, because people try that
 * form.
 */
const behavior = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value === "string") return;
    if (value !== null && typeof value === "object" && "behavior" in value) {
      context.addIssue({ code: "custom", message: "Send each expected behavior as plain text, without `priority`." });
    } else {
      context.addIssue({ code: "invalid_type", expected: "string", message: "This must be a text." });
    }
  })
  .pipe(textUpTo(LIMITS.behaviorCharacters))
  .meta({
    description: "One expected behavior, in plain text.",
    override: { type: "string", minLength: 1, maxLength: LIMITS.behaviorCharacters },
  }) as z.ZodType<string, string>;

const name = nameText().meta({ description: "Unique among the project's tests." });
const scenario = textUpTo(LIMITS.scenarioCharacters)
  .superRefine((text, context) => {
    for (const message of readCallerScript(text).problems) context.addIssue({ code: "custom", message });
  })
  .meta({
    description:
      "The caller's situation: who calls, why, and the facts that they know. Lines such as `Says: …` and `Facts: name = Ana Silva; phone = 555-0134` are for the scripted caller.",
  });
/** Schema of a test's expected behaviors in a request. */
export const behaviors = z
  .array(behavior)
  .min(1)
  .max(LIMITS.behaviors)
  .meta({ description: "The behaviors that the agent must show." });
const personas = z.array(textUpTo(LIMITS.nameCharacters)).max(LIMITS.personas).meta({
  description: "Names or ids of personas. Each persona makes a separate call. Empty: the project's default persona.",
});
/** Schema of a test's tag: a short word with which a run selects tests. */
export const tag = z
  .string()
  .regex(/^[^\s,]{1,50}$/, "A tag is one word of at most 50 characters, without a comma.")
  .max(LIMITS.tagCharacters)
  .meta({ description: "A word of at most 50 characters, without spaces and commas.", example: "smoke" });
const mockTools = z
  .array(MockTool)
  .max(LIMITS.mockTools)
  .superRefine((mocks, context) => {
    const names = mocks.map((mock) => mock.tool);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `The test already mocks the tool "${name}". Keep one mock for each tool.`;
      context.addIssue({ code: "custom", path: [index, "tool"], message });
    }
  })
  .meta({
    description: "Mock tools of the test, one for each tool. They replace the project's mock tools of the same tools.",
  });

/** Body members of a new test. */
export const newTest = {
  name,
  scenario,
  expected_behaviors: behaviors,
  personas: personas.optional(),
  mock_tools: mockTools.optional(),
};

/** Body members of an edit of a test. All are optional. */
export const changedTest = z.strictObject(newTest).partial().shape;
