import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns the reference of a form's content. When a submission ends with a refusal, the first field with an error gets the
 * focus; without such a field the notice moves into view.
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
