import type { Answer, Input, Operations } from "@svc/sdk";
import { sameValue } from "../editing/merge.ts";

export type StoredTest = Answer<Operations["tests"]["get"]>;
export type StoredTestVersion = Answer<Operations["tests"]["version"]>;
export type TestMockTool = StoredTest["mock_tools"][number];
type TestEdit = Input<Operations["tests"]["edit"]>;

/** The parts of a test that a person edits. */
export type TestContent = {
  name: string;
  scenario: string;
  behaviors: readonly string[];
  personas: readonly string[];
  mockTools: readonly TestMockTool[];
};

export const EMPTY_TEST: TestContent = { name: "", scenario: "", behaviors: [""], personas: [], mockTools: [] };

/** Returns the content of a stored test. */
export const contentOf = (test: StoredTest): TestContent => ({
  name: test.name,
  scenario: test.scenario,
  behaviors: test.expected_behaviors,
  personas: test.personas,
  mockTools: test.mock_tools,
});

/** Returns the content as the service would store it: texts are trimmed, and empty behaviors are gone. */
export const tidied = (content: TestContent): TestContent => ({
  ...content,
  name: content.name.trim(),
  scenario: content.scenario.trim(),
  behaviors: content.behaviors.map((behavior) => behavior.trim()).filter((behavior) => behavior !== ""),
});

/** Returns the fields that an edit changes; undefined when it changes nothing. */
export function changedFields(
  base: TestContent,
  content: TestContent,
): Omit<TestEdit, "testId" | "expected_version_id"> | undefined {
  const draft = tidied(content);
  const fields = {
    ...(draft.name !== base.name && { name: draft.name }),
    ...(draft.scenario !== base.scenario && { scenario: draft.scenario }),
    ...(!sameValue(draft.behaviors, base.behaviors) && { expected_behaviors: [...draft.behaviors] }),
    ...(!sameValue(draft.personas, base.personas) && { personas: [...draft.personas] }),
    ...(!sameValue(draft.mockTools, base.mockTools) && { mock_tools: [...draft.mockTools] }),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Returns whether an edit makes a new version: a new name alone makes none. */
export const makesVersion = (base: TestContent, content: TestContent): boolean => {
  const fields = changedFields(base, content);
  return fields !== undefined && Object.keys(fields).some((field) => field !== "name");
};
