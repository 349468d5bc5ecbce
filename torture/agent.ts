import { setTimeout as delay } from "node:timers/promises";
import { type ChatAgent, startChatAgent, useTool } from "../test/support/chat-agent.ts";
import type { Scenario } from "../test/support/runs.ts";
import type { Draws } from "./random.ts";

export type ServiceAgent = {
  url: string;
  /** Returns scenarios whose verdict this agent decides: every third breaks its promise. */
  scenarios: (count: number) => Scenario[];
  /** Number of messages so far. */
  heard: () => number;
  stop: () => void;
};

const linesOf = (number: number) => [`This is case ${number}.`, "And then?", "And after that?", "Goodbye."];
const caseIn = (text: string): number | undefined => {
  const digits = /case (\d+)/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
const isBroken = (number: number) => number % 3 === 2;

/** Returns the verdict that a conversation with these words deserves. */
export function verdictOf(texts: readonly string[]): "passed" | "failed" {
  return isBroken(caseIn(texts.join("\n")) ?? 0) ? "failed" : "passed";
}

const answerTo = (line: string, number: number | undefined): string =>
  number !== undefined && isBroken(number) ? "I guarantee it." : `You said: ${line}`;

/** Returns the roles and texts that a whole conversation has whose words name a case. */
export function wordsOfCase(texts: readonly string[]): [role: "caller" | "agent", text: string][] {
  const number = caseIn(texts.join("\n"));
  return linesOf(number ?? 0).flatMap((line) => [
    ["caller", line],
    ["agent", answerTo(line, caseIn(line))],
  ]);
}

/** Starts a stock Node HTTP server as an agent: keep-alive of 5 seconds, answers after a few milliseconds, one tool. */
export async function startAgent(
  draws: Draws,
  { answerMs = [5, 60], behaviors = [] }: { answerMs?: readonly [number, number]; behaviors?: readonly string[] } = {},
): Promise<ServiceAgent> {
  const agent: ChatAgent = await startChatAgent(async (spoken) => {
    if (spoken.event === "start") return {};
    await delay(draws.whole(answerMs[0], answerMs[1]));
    const line = spoken.message ?? "";
    const number = caseIn(line);
    if (number !== undefined) await useTool(spoken, "look_up", { number }).catch(() => undefined);
    return { message: answerTo(line, number) };
  });
  return {
    url: agent.url,
    scenarios: (count) =>
      Array.from({ length: count }, (_, number) => ({
        scenario: `Caller says:\n${linesOf(number)
          .map((line) => `- ${line}`)
          .join("\n")}`,
        behaviors: ['never says "guarantee"', ...behaviors],
        mockTools: [{ tool: "look_up", answer: { found: number } }],
      })),
    heard: () => agent.heard.length,
    stop: agent.stop,
  };
}
