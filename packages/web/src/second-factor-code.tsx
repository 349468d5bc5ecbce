import { SvcError } from "@svc/sdk";
import { TextField } from "./ui/field.tsx";

export type ShownFactor = { code?: string; recovery_code?: string };

/** Returns whether the service accepted the password, but the second factor is missing or wrong. */
export const asksForCode = (error: unknown): boolean =>
  error instanceof SvcError && error.details["missing"] === "code";

export function factorOf(typed: string): ShownFactor {
  const digits = typed.replaceAll(/\s/g, "");
  return /^\d{6}$/.test(digits) ? { code: digits } : { recovery_code: typed.trim() };
}

type CodeFieldProps = {
  error: string | undefined;
  autoFocus?: boolean;
  /** Whether the account may have an authenticator app. Without an app, only a recovery code is valid. */
  ofApp?: boolean;
  /** Whether the person may leave the field empty and use a passkey. */
  orPasskey?: boolean;
};

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
