import { SvcError } from "@svc/sdk";

/** The words about a mock tool, by the field of the form. */
export type MockToolErrors = Partial<Record<"tool" | "json" | "error" | "delay" | "succeedsWhen" | "form", string>>;

const FIELDS: Record<string, keyof MockToolErrors> = {
  tool: "tool",
  answer: "json",
  error: "error",
  delayMs: "delay",
  succeedsWhen: "succeedsWhen",
};

/** Sorts the service's words about a refused mock tool by the fields of the form. */
export function mockToolErrorsOf(error: unknown): MockToolErrors {
  if (!(error instanceof SvcError)) return { form: String((error as Error).message) };
  if (error.code === "name_taken") return { tool: error.message };
  const { issues = [] } = error.details as { issues?: { path: string; message: string }[] };
  const errors: MockToolErrors = {};
  for (const { path, message } of issues) {
    const [first = ""] = path.split(".");
    const field = FIELDS[first];
    if (field !== undefined) errors[field] ??= message;
  }
  return Object.keys(errors).length > 0 ? errors : { form: error.message };
}
