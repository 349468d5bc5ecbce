import { issueText, operations } from "@svc/contract";
import type { FileProblem, TestFile } from "./folder.ts";

/** Returns the problems for which the service would refuse a test, found without the service. */
export function contentProblems(files: readonly TestFile[]): FileProblem[] {
  return files.flatMap(({ path, test }) => {
    const { name, scenario, expected_behaviors, personas, mock_tools } = test;
    const content = { name, scenario, expected_behaviors, personas, mock_tools };
    const { error } = operations.tests.create.body.safeParse(content, { error: issueText });
    return (error?.issues ?? []).map((issue) => ({ path, fault: `${issue.path.join(".")}: ${issue.message}` }));
  });
}
