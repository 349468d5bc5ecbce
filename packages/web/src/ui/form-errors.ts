import { SvcError } from "@svc/sdk";

/** The server's words about a form: beside its fields, and about the whole form. */
export type FormErrors = { fields: Record<string, string>; form: string | undefined };

/** Returns whether the service refused the form. */
export const isRefused = ({ fields, form }: FormErrors): boolean =>
  form !== undefined || Object.keys(fields).length > 0;

export const NO_ERRORS: FormErrors = { fields: {}, form: undefined };

/**
 * Sorts an error's issues by the fields that the form shows; everything else is about the whole form. A name that is taken
 * belongs to the field `name`.
 */
export function formErrorsOf(error: unknown, fields: readonly string[]): FormErrors {
  if (!(error instanceof SvcError)) return { fields: {}, form: String((error as Error).message) };
  if (error.code === "name_taken" && fields.includes("name"))
    return { fields: { name: error.message }, form: undefined };
  const { issues } = error.details as { issues?: { path: string; message: string }[] };
  const beside = (issues ?? []).filter(({ path }) => fields.includes(path));
  if (beside.length === 0) return { fields: {}, form: error.message };
  return { fields: Object.fromEntries(beside.map(({ path, message }) => [path, message])), form: undefined };
}
