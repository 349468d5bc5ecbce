import { type Answer, type Input, type Operations, SvcError } from "@svc/sdk";
import { sameValue } from "../editing/merge.ts";

export const EMPTY_TEST: TestContent = { name: "", scenario: "", behaviors: [""], personas: [], mockTools: [] };
export const NO_TEST_ERRORS: TestErrors = { behaviors: {}, mockTools: {} };
const MANY = /^(?<list>expected_behaviors|mock_tools|personas)(?:\.(?<index>\d+))?/;

export type StoredTest = Answer<Operations["tests"]["get"]>;

type StoredTestVersion = Answer<Operations["tests"]["version"]>;

export type TestMockTool = StoredTest["mock_tools"][number];

type TestEdit = Input<Operations["tests"]["edit"]>;

export type TestContent = {
  name: string;
  scenario: string;
  behaviors: readonly string[];
  personas: readonly string[];
  mockTools: readonly TestMockTool[];
};

export const contentOf = (test: StoredTest): TestContent => ({
  name: test.name,
  scenario: test.scenario,
  behaviors: test.expected_behaviors,
  personas: test.personas,
  mockTools: test.mock_tools,
});

/** Returns the content as the service would store it: with trimmed texts, and without empty behaviors. */
export const tidied = (content: TestContent): TestContent => ({
  ...content,
  name: content.name.trim(),
  scenario: content.scenario.trim(),
  behaviors: content.behaviors.map((behavior) => behavior.trim()).filter((behavior) => behavior !== ""),
});

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

/** A new name alone creates no version. */
export const makesVersion = (base: TestContent, content: TestContent): boolean => {
  const fields = changedFields(base, content);
  return fields !== undefined && Object.keys(fields).some((field) => field !== "name");
};

export function testLines({ scenario, expected_behaviors, personas, mock_tools }: StoredTestVersion): string[] {
  const tools = mock_tools.flatMap(({ tool, delay_ms, succeeds_when, ...result }) => [
    `Mock tool ${tool}${delay_ms === 0 ? "" : ` after ${delay_ms} ms`}:`,
    ...(succeeds_when === undefined ? [] : [`  succeeds when ${succeeds_when}`]),
    ...("error" in result
      ? [`  fails: ${result.error}`]
      : JSON.stringify(result.answer, null, 2)
          .split("\n")
          .map((line) => `  ${line}`)),
  ]);
  return [
    ...scenario.split("\n").filter((line) => line.trim() !== ""),
    ...expected_behaviors.map((behavior) => `- ${behavior}`),
    ...personas.map((persona) => `Persona: ${persona}`),
    ...tools,
  ];
}

export type TestErrors = {
  name?: string | undefined;
  scenario?: string | undefined;
  /** Key: index of the behavior in the form. */
  behaviors: Readonly<Record<number, string>>;
  personas?: string | undefined;
  /** Key: index of the mock tool. */
  mockTools: Readonly<Record<number, string>>;
  form?: string | undefined;
};

/** Empty behaviors are not sent, so the indexes of the service's issues do not count them. */
export function testErrorsOf(error: unknown, { behaviors }: Pick<TestContent, "behaviors">): TestErrors {
  if (!(error instanceof SvcError)) return { ...NO_TEST_ERRORS, form: String((error as Error).message) };
  if (error.code === "name_taken") return { ...NO_TEST_ERRORS, name: error.message };
  const { issues = [] } = error.details as { issues?: { path: string; message: string }[] };
  const sentAt = behaviors.flatMap((behavior, index) => (behavior.trim() === "" ? [] : [index]));
  const fields: Partial<Record<"name" | "scenario" | "personas", string>> = {};
  const behaviorErrors: Record<number, string> = {};
  const mockToolErrors: Record<number, string> = {};
  for (const { path, message } of issues) {
    const { list, index } = MANY.exec(path)?.groups ?? {};
    const at = Number(index ?? 0);
    if (path === "name" || path === "scenario") fields[path] ??= message;
    else if (list === "personas") fields.personas ??= message;
    else if (list === "expected_behaviors") behaviorErrors[sentAt[at] ?? 0] ??= message;
    else if (list === "mock_tools") mockToolErrors[at] ??= message;
  }
  const errors = { ...fields, behaviors: behaviorErrors, mockTools: mockToolErrors };
  const isBeside = [fields, behaviorErrors, mockToolErrors].some((some) => Object.keys(some).length > 0);
  return isBeside ? errors : { ...errors, form: error.message };
}
