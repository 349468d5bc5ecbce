import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import type { Connection } from "./connection.ts";
import { jsonOf } from "./input.ts";
import { agentIdOf } from "./names.ts";
import { counted } from "./output.ts";

type MockTool = Answer<Operations["mockTools"]["get"]>["mockTool"];

/** Flags of what a mock tool does. */
export const mockFlags = () => ({
  answer: Flags.string({
    description: "JSON that the tool answers: text, @file, or - for standard input.",
    helpValue: "<json>",
    exclusive: ["error"],
  }),
  error: Flags.string({ description: "The tool fails with this text." }),
  "delay-ms": Flags.integer({ description: "Milliseconds before it answers.", min: 0 }),
  agent: Flags.string({
    description: "Name or id of an agent for which it answers; give it once for each. Default: every agent.",
    multiple: true,
    multipleNonGreedy: true,
  }),
});

type Given = { answer?: string | undefined; error?: string | undefined; "delay-ms"?: number | undefined };

/** What the flags say that the tool does; what is not given is left out. */
export const mockGiven = async ({ answer, error, "delay-ms": delayMs }: Given) => ({
  ...(answer !== undefined && { answer: await jsonOf(answer, "--answer") }),
  ...(error !== undefined && { error }),
  ...(delayMs !== undefined && { delayMs }),
});

/** The ids of the agents that the flags name by name or id. */
export const agentsGiven = (connection: Connection, named: readonly string[]): Promise<string[]> =>
  Promise.all(named.map((agent) => agentIdOf(connection, agent)));

export function outcomeText(mock: MockTool): string {
  const does = mock.error === undefined ? `answers ${JSON.stringify(mock.answer)}` : `fails: ${mock.error}`;
  return `${does}${mock.delayMs ? ` after ${mock.delayMs} ms` : ""}`;
}

export const scopeText = ({ agentIds }: MockTool): string =>
  agentIds.length === 0 ? "every agent" : counted(agentIds.length, "agent");

export const mockToolText = (mock: MockTool): string =>
  `${mock.tool} (${mock.id}) ${outcomeText(mock)}, for ${scopeText(mock)}.`;
