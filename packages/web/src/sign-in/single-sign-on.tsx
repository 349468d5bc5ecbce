import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { clientOf } from "../client.ts";
import { instanceQuery } from "../instance.ts";
import { buttonClass } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useEnter } from "./enter.ts";
import { SignInForm, SignInLayout, SignInNote } from "./layout.tsx";
import styles from "./layout.module.css";

const startRoute = getRouteApi("/sign-in/single-sign-on");
const doneRoute = getRouteApi("/sign-in/single-sign-on/done");

/** Key in the session storage for the address that the person wanted, while the browser is at the identity provider. */
const WANTED = "svc.wanted";

/** The search parameter or the e-mail address selects the organization. */
export function SingleSignOn() {
  const { organization, to } = startRoute.useSearch();
  const { data: instance } = useQuery(instanceQuery);
  const [errors, setErrors] = useState<FormErrors>(NO_ERRORS);
  const [busy, setBusy] = useState(false);
  const isUnknown = organization === undefined && instance?.open_sign_up === true;

  async function start(body: { email: string } | { organization_id: string }): Promise<void> {
    setBusy(true);
    setErrors(NO_ERRORS);
    try {
      const { url } = await clientOf().singleSignOn.start(body);
      if (to === undefined) sessionStorage.removeItem(WANTED);
      else sessionStorage.setItem(WANTED, to);
      location.assign(url);
    } catch (error) {
      setErrors(formErrorsOf(error, ["email"]));
      setBusy(false);
    }
  }

  return (
    <SignInLayout
      title="Single sign-on"
      lede={isUnknown ? undefined : "Sign in with the account that your organization gave you."}
    >
      {isUnknown ? (
        <div className={styles["stack"]}>
          <Notice>
            Open the sign-in address of your organization. An admin finds it on the page Settings / Single sign-on.
          </Notice>
        </div>
      ) : (
        <SignInForm
          errors={errors}
          busy={busy}
          submit="Continue"
          onSubmit={({ email = "" }) =>
            start(organization === undefined ? { email } : { organization_id: organization })
          }
        >
          {organization === undefined && (
            <TextField
              label="E-mail"
              name="email"
              type="email"
              autoComplete="username"
              autoFocus
              error={errors.fields["email"]}
            />
          )}
        </SignInForm>
      )}
      <SignInNote>
        <Link to="/sign-in" search={{ to }}>
          Sign in with a password
        </Link>
      </SignInNote>
    </SignInLayout>
  );
}

/** Page to which the identity provider returns. */
export function SignedOn() {
  const { state = "", ...answer } = doneRoute.useSearch();
  const { errors, enter } = useEnter([]);
  useEffect(() => {
    // The code is valid once. A second run of this effect, or a page that is opened again, must not send the code again.
    if (!ended.has(state)) {
      ended.add(state);
      void enter(() => clientOf().singleSignOn.finish({ state, ...answer }), { wanted: takeWanted(), replace: true });
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [state]);
  if (errors.form === undefined)
    return (
      <SignInLayout title="You are being signed in">
        <Skeleton rows={2} />
      </SignInLayout>
    );
  return (
    <SignInLayout title="You are not signed in">
      <div className={styles["stack"]}>
        <Notice kind="failed">{errors.form}</Notice>
        <Link to="/sign-in" search={{ to: undefined }} className={buttonClass("primary")}>
          Back to sign-in
        </Link>
      </div>
    </SignInLayout>
  );
}

const ended = new Set<string>();

function takeWanted(): string | undefined {
  const wanted = sessionStorage.getItem(WANTED) ?? undefined;
  sessionStorage.removeItem(WANTED);
  return wanted;
}
