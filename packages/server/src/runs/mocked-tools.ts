import { setTimeout as delay } from "node:timers/promises";
import type { ToolUse, UseTool } from "./connections/connection.ts";

/** What a tool answers in a simulation. */
export type Mock = { tool: string; answer?: unknown; error?: string; delayMs?: number };

const UNMOCKED = "This tool is not mocked in this simulation, and nothing was called.";

/** Answers the agent's tool calls from the mocks; a tool without one is told so and never reaches a real system. */
export function openMockedTools(mocks: readonly Mock[]): { use: UseTool; names: string[] } {
  const byTool = new Map(mocks.map((mock) => [mock.tool, mock]));
  return {
    names: [...byTool.keys()],
    async use(call, signal): Promise<ToolUse> {
      const startedMs = Date.now();
      const mock = byTool.get(call.name);
      if (mock?.delayMs) await delay(mock.delayMs, undefined, { signal });
      const base = { ...call, startedMs, endedMs: Date.now(), mocked: mock !== undefined };
      if (!mock) return { ...base, result: null, error: UNMOCKED };
      return mock.error === undefined
        ? { ...base, result: mock.answer, error: null }
        : { ...base, result: null, error: mock.error };
    },
  };
}

export type ToolCoverage = { discovered: string[]; covered: string[]; uncovered: string[]; unmocked: string[] };

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
