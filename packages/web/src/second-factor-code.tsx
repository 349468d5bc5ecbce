import { SvcError } from "@svc/sdk";
import { TextField } from "./ui/field.tsx";

/** What a person types in place of a code, or the code itself, as an operation takes it. */
export type ShownFactor = { code?: string; recovery_code?: string };

/** Returns whether the service refused a right password because the second factor is missing or wrong. */
export const asksForCode = (error: unknown): boolean =>
  error instanceof SvcError && error.details["missing"] === "code";

/** Returns the typed text as a code of an app when it has six digits, else as a recovery code. */
export function factorOf(typed: string): ShownFactor {
  const digits = typed.replaceAll(/\s/g, "");
  return /^\d{6}$/.test(digits) ? { code: digits } : { recovery_code: typed.trim() };
}

type CodeFieldProps = {
  error: string | undefined;
  autoFocus?: boolean;
  /** Whether the account may have an authenticator app; without one only a recovery code is right. */
  ofApp?: boolean;
  /** Whether the person may leave the field empty and use a passkey. */
  orPasskey?: boolean;
};

/** The field of a code of an authenticator app, or of a recovery code, named `code`. */
export const CodeField = ({ error, autoFocus = false, ofApp = true, orPasskey = false }: CodeFieldProps) => (
  <TextField
    label={ofApp ? "Code" : "Recovery code"}
    name="code"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    autoFocus={autoFocus}
    help={[
      ofApp && "The six digits of your authenticator app, or one of your recovery codes.",
      orPasskey && "Leave it empty to use a passkey.",
    ]
      .filter(Boolean)
      .join(" ")}
    error={error}
  />
);
