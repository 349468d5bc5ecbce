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

/** The field of a code of an authenticator app, named `code`. It takes a recovery code too. */
export const CodeField = ({
  error,
  label = "Code",
  autoFocus = false,
}: {
  error: string | undefined;
  label?: string;
  autoFocus?: boolean;
}) => (
  <TextField
    label={label}
    name="code"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    autoFocus={autoFocus}
    help="The six digits of your authenticator app, or one of your recovery codes."
    error={error}
  />
);
