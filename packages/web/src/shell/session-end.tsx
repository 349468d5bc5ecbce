import { type Mutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { clientOf } from "../client.ts";
import { isSessionEnd, queries } from "../queries.ts";
import { asksForCode, CodeField, factorOf } from "../second-factor-code.tsx";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS, valuesOf } from "../ui/form.ts";
import { Notice } from "../ui/notice.tsx";

/**
 * Dialog that asks for the password when the session has ended. The page below it keeps its unsaved text. After the sign-in, the changes
 * that the service rejected are sent again.
 */
export function SessionEnd() {
  const [ended, setEnded] = useState(false);
  const refused = useRef(new Set<Mutation>());
  useEffect(() => {
    const isEnd = (action: { type: string; error?: unknown }) => action.type === "error" && isSessionEnd(action.error);
    const stops = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && isEnd(event.action)) setEnded(true);
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type !== "updated" || !isEnd(event.action)) return;
        refused.current.add(event.mutation);
        setEnded(true);
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, []);
  if (!ended) return null;
  return (
    <PasswordDialog
      onSignedIn={() => {
        setEnded(false);
        for (const mutation of refused.current) {
          // The form of the mutation shows its error.
          mutation.execute(mutation.state.variables).catch(() => undefined);
        }
        refused.current.clear();
      }}
      onLeave={() => refused.current.clear()}
    />
  );
}

function PasswordDialog({ onSignedIn, onLeave }: { onSignedIn: () => void; onLeave: () => void }) {
  const router = useRouter();
  const { data: session } = useQuery(sessionQuery);
  const [errors, setErrors] = useState(NO_ERRORS);
  const [busy, setBusy] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);

  const email = session?.user.email ?? "";
  async function signIn({ password = "", code = "" }: Record<string, string>): Promise<void> {
    setBusy(true);
    try {
      const shown = code.trim() === "" ? {} : factorOf(code);
      queries.setQueryData(sessionQuery.queryKey, await clientOf().accounts.signIn({ email, password, ...shown }));
      onSignedIn();
      await queries.invalidateQueries();
    } catch (error) {
      if (asksForCode(error)) setNeedsCode(true);
      setErrors(formErrorsOf(error, ["password", "code"]));
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Your session has ended"
      lede="Sign in again to continue on this page. Unsaved text is still here."
      onSubmit={(event) => void signIn(valuesOf(event.currentTarget))}
      footer={
        <>
          <Button
            look="quiet"
            onClick={() => {
              onLeave();
              queries.clear();
              void router.navigate({ to: "/sign-in", search: { to: undefined } });
            }}
          >
            Use another account
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            Sign in
          </Button>
        </>
      }
    >
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      <TextField label="E-mail" name="email" type="email" autoComplete="username" value={email} readOnly />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus
        error={errors.fields["password"]}
      />
      {needsCode && <CodeField autoFocus error={errors.fields["code"]} />}
    </Dialog>
  );
}
