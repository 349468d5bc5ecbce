import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../queries.ts";
import { type Session, sessionQuery } from "../session.ts";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";

/** Returns what a door's form needs: its errors, whether it is at work, and the function that submits it. */
export function useEnter(fields: readonly string[]) {
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  const [errors, setErrors] = useState<FormErrors>(NO_ERRORS);
  const [busy, setBusy] = useState(false);

  async function enter(ask: () => Promise<Session>): Promise<void> {
    setBusy(true);
    setErrors(NO_ERRORS);
    try {
      const session = await ask();
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      // Only addresses of this site are followed.
      await navigate({ href: to?.startsWith("/") && !to.startsWith("//") ? to : "/" });
    } catch (error) {
      setErrors(formErrorsOf(error, fields));
      setBusy(false);
    }
  }

  return { errors, busy, enter };
}
