import { setTimeout as delay } from "node:timers/promises";
import type { Mock } from "../../mock-tools/rules.ts";
import type { ToolUse, UseTool } from "../lines/line.ts";

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

/** `discovered`: called or mocked; `covered`: a mock answered; `uncovered`: mocked, and no mock answered; `unmocked`: called without one. */
export function coverageOf(
  mocked: readonly string[],
  used: readonly { name: string; mocked: boolean }[],
): ToolCoverage {
  const namesOf = (uses: typeof used) => new Set(uses.map(({ name }) => name));
  const answered = namesOf(used.filter((use) => use.mocked));
  return {
    discovered: [...new Set([...mocked, ...namesOf(used)])].sort(),
    covered: mocked.filter((name) => answered.has(name)).sort(),
    uncovered: mocked.filter((name) => !answered.has(name)).sort(),
    unmocked: [...namesOf(used.filter((use) => !use.mocked))].sort(),
  };
}
