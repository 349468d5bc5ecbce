import { type EndingReason, fitsDepth, LIMITS } from "@svc/contract";
import { z } from "zod";
import type { CallOutcome } from "../../voice/calls/call.ts";

/** One use of a tool by the agent in a simulation. */
export type ToolUse = {
  id: string | null;
  name: string;
  arguments: unknown;
  result: unknown;
  error: string | null;
  /** Whether a mock of the service answered. */
  mocked: boolean;
  startedMs: number;
  endedMs: number;
};

/** Everything that the agent said and called until it waits for the caller again. */
export type AgentTurn = { messages: string[]; toolUses: ToolUse[]; ended: boolean; transferred: boolean };

/** A turn as a line heard it. `text` is null while its words are unknown. The line fills in `text` and the times later. */
export type HeardTurn = { role: "caller" | "agent"; text: string | null; startedMs: number; endedMs: number };

/**
 * Receives each turn of a line that carries sound when the turn starts. The line calls the returned function when the turn is
 * complete.
 */
export type HearTurn = (turn: HeardTurn) => () => void;

/** The open channel to the agent in one simulation. */
export type AgentLine = {
  /** Returns the agent's greeting, or null when the agent waits for the caller. */
  open: (signal: AbortSignal, hear: HearTurn) => Promise<AgentTurn | null>;
  say: (text: string, signal: AbortSignal, hear: HearTurn) => Promise<AgentTurn>;
  /** Whether the line carries sound: it reports every turn with its times to `hear`, and no words in its answers. */
  carriesSound?: boolean;
  /** Waits a moment before the caller ends the conversation, because the agent may end it first. */
  partFrom?: (signal: AbortSignal) => Promise<AgentTurn>;
  /** Returns the facts of the call after `close`; a line without sound has none. */
  outcome?: () => CallOutcome | null;
  /** Whether the agent calls mocked tools at the service, and may therefore wait for it. */
  callsToolsBack?: boolean;
  /** Signals the end of the conversation to the agent. Never throws. */
  close: () => Promise<void>;
};

/** A failure that ends the conversation; its reason says which side caused it. */
export class LineFailure extends Error {
  readonly reason: EndingReason;
  /** Whether the service caused the failure. The conversation then says nothing about the agent and is played again. */
  readonly isOurFault: boolean;

  constructor(reason: EndingReason, message: string, isOurFault = false) {
    super(message);
    this.name = "LineFailure";
    this.reason = reason;
    this.isOurFault = isOurFault;
  }
}

export type ToolRequest = Pick<ToolUse, "id" | "name" | "arguments">;

/** Answers a tool call from the mocks. */
export type UseTool = (call: ToolRequest, signal: AbortSignal) => Promise<ToolUse>;

const AGENT_MESSAGE_CHARACTERS_MAX = 20_000;

/** Parses one message of an agent and cuts off what exceeds the longest text that is stored. */
export const agentText = z.string().transform((all) => all.slice(0, AGENT_MESSAGE_CHARACTERS_MAX).toWellFormed());

/** Parses an agent's JSON; invalid or too deeply nested JSON stays text. */
export function parsedJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return fitsDepth(value, LIMITS.mockToolDepth) ? value : json;
  } catch {
    return json;
  }
}
