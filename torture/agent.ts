import { setTimeout as delay } from "node:timers/promises";
import { type ChatAgent, startChatAgent, useTool } from "../test/support/chat-agent.ts";
import type { Scenario } from "../test/support/runs.ts";
import type { Draws } from "./random.ts";

export type ServiceAgent = {
  url: string;
  /** Returns scenarios whose verdict depends only on this agent: in every third one, the agent breaks its promise. */
  scenarios: (count: number) => Scenario[];
  /** The number of messages that the agent has received. */
  heard: () => number;
  stop: () => void;
};

const linesOf = (number: number) => [`This is case ${number}.`, "And then?", "And after that?", "Goodbye."];
const caseIn = (text: string): number | undefined => {
  const digits = /case (\d+)/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
const isBroken = (number: number) => number % 3 === 2;

/** Returns the right verdict for a conversation with these words. */
export function verdictOf(texts: readonly string[]): "passed" | "failed" {
  return isBroken(caseIn(texts.join("\n")) ?? 0) ? "failed" : "passed";
}

const answerTo = (line: string, number: number | undefined): string =>
  number !== undefined && isBroken(number) ? "I guarantee it." : `You said: ${line}`;

/** Returns the roles and texts of the whole conversation. Its case is in the given words. */
export function wordsOfCase(texts: readonly string[]): [role: "caller" | "agent", text: string][] {
  const number = caseIn(texts.join("\n"));
  return linesOf(number ?? 0).flatMap((line) => [
    ["caller", line],
    ["agent", answerTo(line, caseIn(line))],
  ]);
}

/**
 * Starts an agent on Node's HTTP server with its default keep-alive of 5 seconds. It answers after a few milliseconds, and has one
 * tool.
 */
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
