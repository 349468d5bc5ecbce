import { SvcError } from "@svc/sdk";
import type { TestContent } from "./test-content.ts";

/** The server's words about a test, beside the field of each. */
export type TestErrors = {
  name?: string | undefined;
  scenario?: string | undefined;
  /** By the position in the list that the person sees. */
  behaviors: Readonly<Record<number, string>>;
  personas?: string | undefined;
  /** By the position of the mock tool. */
  mockTools: Readonly<Record<number, string>>;
  form?: string | undefined;
};

export const NO_TEST_ERRORS: TestErrors = { behaviors: {}, mockTools: {} };

const MANY = /^(?<list>expected_behaviors|mock_tools|personas)(?:\.(?<index>\d+))?/;

/** Sorts the issues of a refused test by its fields. Empty behaviors are not sent, so positions count only the others. */
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
