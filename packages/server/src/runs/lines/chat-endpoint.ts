import { LIMITS } from "@svc/contract";
import type { PrivateAddresses } from "../../base/net/outbound.ts";
import { jsonOf } from "../../grading/bounds.ts";
import { quoted } from "./ask-agent.ts";
import { LineFailure } from "./line.ts";

export type ChatEndpoint = { url: URL; headers: Record<string, string>; privateAddresses: PrivateAddresses };

export const spoken = (messages: (string | null | undefined)[]): string[] =>
  messages.filter((message) => message?.trim()).slice(0, LIMITS.messagesPerTurn) as string[];

export const notUnderstood = (expected: string, answer: unknown, endpoint: ChatEndpoint) =>
  new LineFailure(
    "agent_error",
    answer === null
      ? `The agent's endpoint answered with an empty body. Let it answer with ${expected}.`
      : `The agent's endpoint answered with JSON that is not ${expected}${quoted(jsonOf(answer), endpoint)}.`,
  );
