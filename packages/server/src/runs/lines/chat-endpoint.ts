import { LIMITS } from "@svc/contract";
import { LineFailure } from "./line.ts";

/** The address of an agent's chat, with the headers of every request to it. */
export type ChatEndpoint = { url: URL; headers: Record<string, string> };

/** Returns the messages that hold text, at most as many as one turn may have. */
export const spoken = (messages: (string | null | undefined)[]): string[] =>
  messages.filter((message) => message?.trim()).slice(0, LIMITS.messagesPerTurn) as string[];

export const notUnderstood = (expected: string) =>
  new LineFailure("agent_error", `The agent's endpoint answered with JSON that is not ${expected}.`);
