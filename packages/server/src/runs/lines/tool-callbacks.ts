import { timingSafeEqual } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { AppError } from "../../errors.ts";
import { newToken, sha256 } from "../../secrets.ts";
import type { ToolRequest, ToolUse, UseTool } from "./line.ts";

/** One conversation's mocked tools while the agent may call them. */
export type ToolCallback = {
  /** The token that the agent sends; it opens this conversation's tools only. */
  token: string;
  /** Returns the tool calls since the previous `take`. */
  take: () => ToolUse[];
  /** Refuses all later calls. */
  end: () => void;
};

type Conversation = { tokenSha256: string; use: UseTool; underWay: number; uses: ToolUse[]; signal: AbortSignal };

/** The mocked tools of the conversations that are under way, for agents that call them over HTTP. */
export type ToolCallbacks = {
  /** Accepts tool calls of the simulation's agent until the callback ends. */
  begin: (simulationId: string, use: UseTool, signal: AbortSignal) => ToolCallback;
  /**
   * Returns the mock's result or error. Refuses an unknown simulation and a wrong token with the same answer, and more tool
   * calls than one turn may have.
   */
  answer: (
    simulationId: string,
    authorization: string,
    call: ToolRequest,
  ) => Promise<{ result: unknown } | { error: string }>;
};

export function createToolCallbacks(): ToolCallbacks {
  const conversations = new Map<string, Conversation>();

  return {
    begin(simulationId, use, signal) {
      const token = newToken();
      const conversation: Conversation = { tokenSha256: sha256(token), use, underWay: 0, uses: [], signal };
      conversations.set(simulationId, conversation);
      return {
        token,
        take: () => conversation.uses.splice(0),
        end: () => void conversations.delete(simulationId),
      };
    },

    async answer(simulationId, authorization, call) {
      const conversation = conversations.get(simulationId);
      const token = sha256(authorization.replace(/^Bearer +/i, ""));
      if (!conversation || !timingSafeEqual(Buffer.from(token), Buffer.from(conversation.tokenSha256))) {
        throw new AppError(
          "not_authenticated",
          "Send the token of a simulation that is under way, as `Authorization: Bearer …`; each message to the agent carries it.",
        );
      }
      if (conversation.uses.length + conversation.underWay >= LIMITS.toolCallsPerTurn) {
        throw new AppError(
          "conflict",
          `An agent calls at most ${LIMITS.toolCallsPerTurn} tools in one turn; answer the caller before the next call.`,
        );
      }
      conversation.underWay++;
      const use = await conversation.use(call, conversation.signal).finally(() => conversation.underWay--);
      conversation.uses.push(use);
      return use.error === null ? { result: use.result ?? null } : { error: use.error };
    },
  };
}
