import { SvcError } from "@svc/sdk";

/** The service's words about a persona, by the field of the form. `member` is a capability that refuses a value. */
export type PersonaErrors = {
  name?: string | undefined;
  personality?: string | undefined;
  language?: string | undefined;
  llm?: string | undefined;
  form?: string | undefined;
};

const FIELDS: Record<string, keyof PersonaErrors> = {
  name: "name",
  "traits.personality": "personality",
  "traits.language": "language",
  "models.llm": "llm",
};

/** Sorts the service's words about a refused persona by the fields of the form. */
export function personaErrorsOf(error: unknown): PersonaErrors {
  if (!(error instanceof SvcError)) return { form: String((error as Error).message) };
  if (error.code === "name_taken") return { name: error.message };
  const { issues = [] } = error.details as { issues?: { path: string; message: string }[] };
  const errors: PersonaErrors = {};
  for (const { path, message } of issues) {
    const field = FIELDS[path];
    if (field !== undefined) errors[field] ??= message;
  }
  return Object.keys(errors).length > 0 ? errors : { form: error.message };
}
