import { SvcError } from "@svc/sdk";
import { type RefObject, useEffect, useRef } from "react";

export const NO_ERRORS: FormErrors = { fields: {}, form: undefined };

export type FormErrors = { fields: Record<string, string>; form: string | undefined };

export const isRefused = ({ fields, form }: FormErrors): boolean =>
  form !== undefined || Object.keys(fields).length > 0;

/**
 * If no issue belongs to one of `fields`, the message is the error of the whole form. A `name_taken` error belongs to the field
 * `name`.
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

export const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : ""]));

/**
 * After a rejected submission, the first field with an error gets the focus. If no field has an error, the notice is scrolled into
 * view.
 */
export function useRefusalInView<T extends HTMLElement>(busy: boolean, isRefused: boolean): RefObject<T | null> {
  const content = useRef<T>(null);
  useEffect(() => {
    if (busy || !isRefused) return;
    const field = content.current?.querySelector<HTMLElement>("[aria-invalid]");
    if (field) field.focus();
    else content.current?.querySelector("[role=alert], [role=status]")?.scrollIntoView({ block: "nearest" });
  }, [busy, isRefused]);
  return content;
}
