import type { MockTool } from "@svc/contract";
import type { z } from "zod";
import type { MockToolContent } from "./rules.ts";

type TestMock = z.output<typeof MockTool>;

/** The answer to every call of a tool in a simulation, given after a delay. */
export type Mock = Pick<MockToolContent, "tool" | "outcome" | "delayMs" | "succeedsWhen">;

/**
 * Returns the mocks that answer for an agent, by tool name. A test's mock precedes the project's mock, a mock for this
 * agent precedes one for every agent, and the first of a test's mocks of one tool precedes the others.
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
