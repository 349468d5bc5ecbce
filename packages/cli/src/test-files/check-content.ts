import { operations } from "@svc/contract";
import type { Fault, Held } from "./folder.ts";

/** What the service would refuse for its form, found without asking it. */
export function contentFaults(held: readonly Held[]): Fault[] {
  return held.flatMap(({ path, test }) => {
    const { name, scenario, expected_behaviors, personas, mock_tools } = test;
    const checked = operations.tests.create.body.safeParse({
      name,
      scenario,
      expected_behaviors,
      personas,
      mock_tools,
    });
    return (checked.error?.issues ?? []).map((issue) => ({ path, fault: `${issue.path.join(".")}: ${issue.message}` }));
  });
}
