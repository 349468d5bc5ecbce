import { cutText, LIMITS } from "@svc/contract/constants";
import { AppError } from "../base/errors.ts";

export type Issue = { path: string; message: string };

/** Returns the error for invalid input. It contains only the first issues, with long paths and messages cut. */
export function refusalOf(code: "invalid_request" | "unprocessable", all: readonly Issue[]): AppError {
  const issues = all.slice(0, LIMITS.issuesShown).map(({ path, message }) => ({
    path: cutText(path, LIMITS.issuePathCharacters),
    message: cutText(message, LIMITS.issueMessageCharacters),
  }));
  const [first] = issues;
  const where = first?.path ? `\`${first.path}\`: ` : "";
  return new AppError(code, `Change the request and send it again. ${where}${first?.message}`, { issues });
}
