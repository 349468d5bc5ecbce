import { isSvcError, Refusal } from "./refusal.ts";

/** A version conflict in the command line's words; any other error as it is. */
export function explainStale(error: unknown, what: "test" | "persona", named: string): unknown {
  if (!isSvcError(error) || error.code !== "version_conflict") return error;
  const { details } = error;
  const expected = String(details.expected_version_id ?? details.expectedVersionId);
  const current = String(details.current_version_id ?? details.currentVersionId);
  const message = `Someone edited the ${what} since: ${expected} is not current, ${current} is. Read it with \`svc ${what}s show ${named}\`, then edit again with --expected-version ${current}.`;
  return new Refusal("version_conflict", message, 1, details);
}
