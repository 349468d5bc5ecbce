import type { MockTool } from "@svc/contract";
import type { z } from "zod";
import type { MockToolContent } from "./rules.ts";

type TestMock = z.output<typeof MockTool>;

/** The answer to every call of one tool in a simulation. */
export type Mock = Pick<MockToolContent, "tool" | "outcome" | "delayMs" | "succeedsWhen">;

/**
 * Returns the mocks that apply in a simulation. A mock of the test precedes the project's mocks. Among the project's mocks, a mock for this
 * agent precedes a mock for every agent. When a test has several mocks of one tool, the first one applies.
 */
export function mocksFor(
  testMocks: readonly TestMock[],
  projectMocks: readonly MockToolContent[],
  agentId: string,
): Map<string, Mock> {
  const everyAgents = projectMocks.filter(({ agentIds }) => agentIds.length === 0);
  const thisAgents = projectMocks.filter(({ agentIds }) => agentIds.includes(agentId));
  const tests = testMocks.map(({ tool, delay_ms: delayMs, succeeds_when: succeedsWhen, ...outcome }) => ({
    tool,
    outcome,
    delayMs,
    succeedsWhen,
  }));
  const mocks: Mock[] = [...everyAgents, ...thisAgents, ...tests.reverse()];
  return new Map(
    mocks.map(({ tool, outcome, delayMs, succeedsWhen }) => [tool, { tool, outcome, delayMs, succeedsWhen }]),
  );
}
