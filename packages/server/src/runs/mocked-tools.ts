import { setTimeout as delay } from "node:timers/promises";
import type { Mock } from "../mock-tools/rules.ts";
import type { ToolUse, UseTool } from "./connections/connection.ts";

const UNMOCKED = "This tool is not mocked in this simulation, and nothing was called.";

/** Answers the agent's tool calls from the mocks; a tool without one is told so and never reaches a real system. */
export function openMockedTools(mocks: ReadonlyMap<string, Mock>): { use: UseTool; names: string[] } {
  return {
    names: [...mocks.keys()],
    async use(call, signal): Promise<ToolUse> {
      const startedMs = Date.now();
      const mock = mocks.get(call.name);
      if (mock && mock.delayMs > 0) await delay(mock.delayMs, undefined, { signal });
      const { answer = null, error = null } = mock ? mock.outcome : { error: UNMOCKED };
      return { ...call, result: answer, error, mocked: mock !== undefined, startedMs, endedMs: Date.now() };
    },
  };
}

type ToolCoverage = { discovered: string[]; covered: string[]; uncovered: string[]; unmocked: string[] };

/** `discovered`: called or mocked; `covered`: mocked and called; `uncovered`: mocked, never called; `unmocked`: called, not mocked. */
export function coverageOf(
  mocked: readonly string[],
  used: readonly { name: string; mocked: boolean }[],
): ToolCoverage {
  const called = new Set(used.map(({ name }) => name));
  return {
    discovered: [...new Set([...mocked, ...called])].sort(),
    covered: mocked.filter((name) => called.has(name)).sort(),
    uncovered: mocked.filter((name) => !called.has(name)).sort(),
    unmocked: [...new Set(used.filter((use) => !use.mocked).map(({ name }) => name))].sort(),
  };
}
