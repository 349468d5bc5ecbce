import { type EndingReason, fitsDepth, LIMITS } from "@svc/contract";
import { z } from "zod";

/** A tool that the agent called in a simulation. */
export type ToolUse = {
  id: string | null;
  name: string;
  arguments: unknown;
  result: unknown;
  error: string | null;
  /** False: nothing was mocked for it, so nothing was called and the agent was told so. */
  mocked: boolean;
  startedMs: number;
  endedMs: number;
};

/** What the agent did when it was spoken to. */
export type AgentTurn = { messages: string[]; toolUses: ToolUse[]; ended: boolean; transferred: boolean };

/** A conversation with one agent, over whatever carries it. */
export type AgentLine = {
  /** What the agent says first; null when it waits to be spoken to. */
  open: (signal: AbortSignal) => Promise<AgentTurn | null>;
  say: (text: string, signal: AbortSignal) => Promise<AgentTurn>;
  /** Tells the other side that the conversation is over. Never throws. */
  close: () => Promise<void>;
};

/** Why a conversation could not go on, with whose doing it was in the reason. */
export class LineFailure extends Error {
  readonly reason: EndingReason;

  constructor(reason: EndingReason, message: string) {
    super(message);
    this.name = "LineFailure";
    this.reason = reason;
  }
}

/** Answers a call of a tool with what is mocked for it. */
export type UseTool = (
  call: { id: string | null; name: string; arguments: unknown },
  signal: AbortSignal,
) => Promise<ToolUse>;

const AGENT_MESSAGE_CHARACTERS_MAX = 20_000;
export const TOOL_ROUNDS_MAX = 8;

/** What an agent says at once; the rest of what is longer is left out. */
export const agentText = z.string().transform((all) => all.slice(0, AGENT_MESSAGE_CHARACTERS_MAX).toWellFormed());

/** JSON that an agent sent; what is none, or nested too deep to be kept, stays the text that it is. */
export function parsedJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return fitsDepth(value, LIMITS.mockToolDepth) ? value : json;
  } catch {
    return json;
  }
}
