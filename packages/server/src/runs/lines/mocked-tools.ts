import { setTimeout as delay } from "node:timers/promises";
import type { Mock } from "../../authoring/mock-tools/mocks-for.ts";
import type { ToolUse, UseTool } from "./line.ts";

const UNMOCKED = "This tool is not mocked in this simulation, and nothing was called.";

export type MockedTools = { names: string[]; use: UseTool };

/** A call of a tool without a mock returns an error; no real system is called. */
export function createMockedTools(mocks: ReadonlyMap<string, Mock>): MockedTools {
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
