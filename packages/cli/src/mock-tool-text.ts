import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import { repeatedFlag } from "./flags.ts";
import { jsonOf } from "./input.ts";
import { counted } from "./output.ts";

type MockTool = Answer<Operations["mockTools"]["get"]>["mockTool"];

/** Flags for the outcome of a mock tool and for its agents. */
export const mockFlags = () => ({
  answer: Flags.string({
    description: "JSON answer of the tool: text, @file, or - for standard input.",
    helpValue: "<json>",
    exclusive: ["error"],
  }),
  error: Flags.string({ description: "Error text with which the tool fails." }),
  "delay-ms": Flags.integer({ description: "Milliseconds that the tool waits before it answers.", min: 0 }),
  agent: repeatedFlag("Id or exact name of an agent whose tool is mocked. Default: every agent."),
});

type OutcomeFlags = { answer?: string | undefined; error?: string | undefined; "delay-ms"?: number | undefined };

/** Returns the outcome that the flags set; a flag that is not set adds no member. */
export const readOutcome = async ({ answer, error, "delay-ms": delayMs }: OutcomeFlags) => ({
  ...(answer !== undefined && { answer: await jsonOf(answer, "--answer") }),
  ...(error !== undefined && { error }),
  ...(delayMs !== undefined && { delayMs }),
});

/** `answers {"slots":[]} after 20 ms` */
export function outcomeText(mock: MockTool): string {
  const outcome = mock.error === undefined ? `answers ${JSON.stringify(mock.answer)}` : `fails: ${mock.error}`;
  return `${outcome}${mock.delayMs ? ` after ${mock.delayMs} ms` : ""}`;
}

export const scopeText = ({ agentIds }: MockTool): string =>
  agentIds.length === 0 ? "every agent" : counted(agentIds.length, "agent");

export const mockToolText = (mock: MockTool): string =>
  `${mock.tool} (${mock.id}), for ${scopeText(mock)}: ${outcomeText(mock)}`;
