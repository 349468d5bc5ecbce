import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import { repeatedFlag } from "../flags.ts";
import { jsonOf } from "../terminal/input.ts";
import { counted } from "../terminal/output.ts";

type MockTool = Answer<Operations["mockTools"]["get"]>["mockTool"];

export const mockFlags = () => ({
  answer: Flags.string({
    description: "JSON answer of the tool: text, @file, or - for standard input.",
    helpValue: "<json>",
    exclusive: ["error"],
  }),
  error: Flags.string({ description: "Error text with which the tool fails." }),
  "delay-ms": Flags.integer({ description: "Milliseconds that the tool waits before it answers.", min: 0 }),
  "succeeds-when": Flags.string({
    description: 'Condition on the tool\'s result by which a call succeeds, such as "verified = true".',
    helpValue: "<condition>",
  }),
  agent: repeatedFlag("Id or exact name of an agent whose tool is mocked. Default: every agent."),
});

type OutcomeFlags = {
  answer?: string | undefined;
  error?: string | undefined;
  "delay-ms"?: number | undefined;
  "succeeds-when"?: string | undefined;
};

/** An omitted flag adds no member. */
export const readOutcome = async ({
  answer,
  error,
  "delay-ms": delayMs,
  "succeeds-when": succeedsWhen,
}: OutcomeFlags) => ({
  ...(answer !== undefined && { answer: await jsonOf(answer, "--answer") }),
  ...(error !== undefined && { error }),
  ...(delayMs !== undefined && { delayMs }),
  ...(succeedsWhen !== undefined && { succeedsWhen }),
});

/** Example: `answers {"slots":[]} after 20 ms, succeeds when free = true`. */
export function outcomeText({
  answer,
  error,
  delayMs,
  succeedsWhen,
}: Pick<MockTool, "answer" | "error" | "delayMs" | "succeedsWhen">): string {
  const outcome = error === undefined ? `answers ${JSON.stringify(answer)}` : `fails: ${error}`;
  const success = succeedsWhen === undefined ? "" : `, succeeds when ${succeedsWhen}`;
  return `${outcome}${delayMs ? ` after ${delayMs} ms` : ""}${success}`;
}

export const scopeText = ({ agentIds }: MockTool): string =>
  agentIds.length === 0 ? "every agent" : counted(agentIds.length, "agent");

export const mockToolText = (mock: MockTool): string =>
  `${mock.tool} (${mock.id}), for ${scopeText(mock)}: ${outcomeText(mock)}`;
