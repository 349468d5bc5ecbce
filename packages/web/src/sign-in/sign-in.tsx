import { SvcError } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Fingerprint } from "lucide-react";
import { clientOf } from "../client.ts";
import { hasPasskeys, passkeyOfDevice } from "../passkeys.ts";
import { asksForCode, CodeField, factorOf } from "../second-factor-code.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { SignInLayout, SignInForm, SignInNote } from "./layout.tsx";
import styles from "./layout.module.css";
import { ownAddress, pageNames, useEnter } from "./enter.ts";
import { instanceQuery } from "../instance.ts";
import { signedInBefore } from "../shell/signed-in-before.ts";

export function SignIn() {
  const { to } = useSearch({ from: "/sign-in" });
  const { data: instance } = useQuery(instanceQuery);
  const { errors, refusal, busy, enter } = useEnter(["email", "password"]);
  const required = requiredBy(refusal);
  const [credential, setCredential] = useState<Credential>();
  const address = ownAddress(to);
  const names = address === undefined ? undefined : pageNames(address);
  if (credential !== undefined) return <CodeStep credential={credential} onBack={() => setCredential(undefined)} />;
  return (
    <SignInLayout
      title="Sign in"
      beside={
        names && (
          <div>
            <h2>{signedInBefore() ? "Where you were" : "Where you go"}</h2>
            <p className={styles["where"]}>{names.join(" / ")}</p>
          </div>
        )
      }
    >
      <SignInForm
        errors={errors}
        busy={busy}
        submit="Sign in"
        onSubmit={({ email = "", password = "" }) =>
          enter(() =>
            clientOf()
              .accounts.signIn({ email, password })
              .catch((error: unknown) => {
                if (asksForCode(error)) setCredential({ email, password });
                throw error;
              }),
          )
        }
      >
        {address !== undefined && errors.form === undefined && (
          <Notice>
            {signedInBefore()
              ? "Your session has ended. Sign in to continue where you were."
              : "This page needs a session. Sign in to open it."}
          </Notice>
        )}
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          autoFocus
          error={errors.fields["email"]}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={errors.fields["password"]}
        />
      </SignInForm>
      {hasPasskeys() && (
        <div className={styles["stack"]}>
          <PasskeyButton busy={busy} enter={enter} />
        </div>
      )}
      {(instance?.single_sign_on === true || required !== undefined) && (
        <SignInNote>
          <Link to="/sign-in/single-sign-on" search={{ organization: required, to: address }}>
            Sign in with single sign-on
          </Link>
        </SignInNote>
      )}
      <SignInNote>
        <Link to="/forgot-password">Forgotten your password?</Link>
      </SignInNote>
      <SignInNote>
        No account?{" "}
        {instance?.open_sign_up === true ? (
          <Link to="/sign-up" search={{ to: address }}>
            Create one.
          </Link>
        ) : (
          "Ask an admin of your organization for an invitation."
        )}
      </SignInNote>
    </SignInLayout>
  );
}

type Credential = { email: string; password: string };

/** Page that asks for the second factor after a correct password. */
function CodeStep({ credential, onBack }: { credential: Credential; onBack: () => void }) {
  const { errors, busy, enter } = useEnter(["code"]);
  return (
    <SignInLayout title="One more step" lede={`Sign in as ${credential.email}.`}>
      <SignInForm
        errors={errors}
        busy={busy}
        submit="Sign in"
        onSubmit={({ code = "" }) => enter(() => clientOf().accounts.signIn({ ...credential, ...factorOf(code) }))}
      >
        <CodeField autoFocus error={errors.fields["code"]} />
      </SignInForm>
      {hasPasskeys() && (
        <div className={styles["stack"]}>
          <PasskeyButton busy={busy} enter={enter} />
        </div>
      )}
      <SignInNote>
        Lost everything? An admin of your organization removes the second factor on the page Settings / Members.
      </SignInNote>
      <SignInNote>
        <Button look="quiet" small onClick={onBack}>
          Use another account
        </Button>
      </SignInNote>
    </SignInLayout>
  );
}

type PasskeyButtonProps = Pick<ReturnType<typeof useEnter>, "busy" | "enter">;

/** A passkey needs neither the password nor a code. */
const PasskeyButton = ({ busy, enter }: PasskeyButtonProps) => (
  <Button
    busy={busy}
    onClick={() => void enter(async () => clientOf().passkeys.signIn({ passkey: await passkeyOfDevice() }))}
  >
    <Fingerprint size={14} aria-hidden />
    Sign in with a passkey
  </Button>
);

/** Returns the id of the organization that requires single sign-on, if the sign-in was rejected for that reason. */
function requiredBy(refusal: unknown): string | undefined {
  if (!(refusal instanceof SvcError) || refusal.details["missing"] !== "single_sign_on") return undefined;
  return String(refusal.details["organization_id"]);
}
