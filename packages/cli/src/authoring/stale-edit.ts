import { EXIT, isSvcError, Refusal } from "../refusal.ts";

export function explainConflict(error: unknown, kind: "test" | "persona", id: string): unknown {
  if (!isSvcError(error) || error.code !== "version_conflict") return error;
  const { details } = error;
  const expected = String(details.expected_version_id ?? details.expectedVersionId);
  const current = String(details.current_version_id ?? details.currentVersionId);
  const message = `Someone edited the ${kind} meanwhile. Its current version is ${current}, not ${expected}. Read it with \`svc ${kind}s show ${id}\`, then edit again with --expected-version ${current}.`;
  return new Refusal("version_conflict", message, EXIT.refused, details);
}
