import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../queries.ts";
import { type Session, sessionQuery } from "../session.ts";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { ownAddress } from "./own-address.ts";
import { rememberSignIn } from "../frame/signed-in-before.ts";

/**
 * Returns what a door's form needs: its errors, the refusal itself, whether the form is at work, and the function that submits
 * it and then opens the address of the search parameter `to`.
 */
export function useEnter(fields: readonly string[]) {
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  const [refusal, setRefusal] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function enter(ask: () => Promise<Session>): Promise<void> {
    setBusy(true);
    setRefusal(undefined);
    try {
      const session = await ask();
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      rememberSignIn();
      await navigate({ href: ownAddress(to) ?? "/" });
    } catch (error) {
      setRefusal(error);
      setBusy(false);
    }
  }

  const errors: FormErrors = refusal === undefined ? NO_ERRORS : formErrorsOf(refusal, fields);
  return { errors, refusal, busy, enter };
}
