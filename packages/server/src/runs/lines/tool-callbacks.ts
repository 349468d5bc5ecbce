import { createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { AppError, unavailable } from "../../base/errors.ts";
import { newToken, sha256 } from "../../base/secrets/secrets.ts";
import type { AgentLine, ToolRequest, ToolUse, UseTool } from "./line.ts";
import type { Relay } from "./relay.ts";

/** Mocked tools of one conversation. The agent can call them until `end`. */
export type ToolCallback = {
  /** Token that the agent sends with each tool call. It is valid only for the tools of this conversation. */
  token: string;
  /** Returns the tool calls since the previous `take`. */
  take: () => ToolUse[];
  end: () => void;
};

type Conversation = { tokenSha256: string; use: UseTool; underWay: number; uses: ToolUse[]; signal: AbortSignal };

/** Mocked tools of all conversations in progress, for agents that call the tools over HTTP. */
export type ToolCallbacks = {
  /** Accepts tool calls from the simulation's agent until `end` of the returned callback. */
  begin: (simulationId: string, use: UseTool, signal: AbortSignal) => ToolCallback;
  /**
   * Throws the same error as `answer` for a token that cannot belong to any conversation. Rejects such a token fast: neither reads
   * the database nor asks another process.
   */
  requireToken: (simulationId: string, authorization: string) => void;
  /**
   * Returns the mock's result or error, even when another process plays the conversation. Throws the same error,
   * `not_authenticated`, for an unknown simulation and for a wrong token. Throws `conflict` for more tool calls than
   * `LIMITS.toolCallsPerTurn`.
   */
  answer: (simulationId: string, authorization: string, call: ToolRequest, signal: AbortSignal) => Promise<ToolAnswer>;
};

type ToolAnswer = { result: unknown } | { error: string };

type Needs = {
  relay: Relay;
  tokens: CallbackTokens;
  /** Returns whether a process plays the simulation; undefined for the id of a try. */
  isUnderWay: (simulationId: string) => Promise<boolean | undefined>;
};

const RETRY_AFTER_SECONDS = 1;

export function createToolCallbacks({ relay, tokens, isUnderWay }: Needs): ToolCallbacks {
  const conversations = new Map<string, Conversation>();

  return {
    begin(simulationId, use, signal) {
      const token = tokens.create();
      const conversation: Conversation = { tokenSha256: sha256(token), use, underWay: 0, uses: [], signal };
      conversations.set(simulationId, conversation);
      const release = relay.hold(holderOf(simulationId, token), (call) => useTool(conversation, call as ToolRequest));
      return {
        token,
        take: () => conversation.uses.splice(0),
        end() {
          release();
          if (conversations.get(simulationId) === conversation) conversations.delete(simulationId);
        },
      };
    },

    requireToken(simulationId, authorization) {
      const token = tokenOf(authorization);
      if (conversationWith(simulationId, token) === undefined && !tokens.isOurs(token)) throw unknownToken();
    },

    async answer(simulationId, authorization, call, signal) {
      const token = tokenOf(authorization);
      const conversation = conversationWith(simulationId, token);
      if (conversation) return useTool(conversation, call);
      if (!tokens.isOurs(token)) throw unknownToken();
      const isPlayed = await isUnderWay(simulationId);
      if (isPlayed === false) throw unknownToken();
      const relayed = await relay.ask(holderOf(simulationId, token), call, signal);
      if (relayed) return relayed.answer as ToolAnswer;
      throw isPlayed
        ? unavailable(
            "The process that plays this simulation does not answer. Send the call again.",
            RETRY_AFTER_SECONDS,
          )
        : unknownToken();
    },
  };

  function conversationWith(simulationId: string, token: string): Conversation | undefined {
    const conversation = conversations.get(simulationId);
    if (conversation === undefined) return undefined;
    const isItsToken = timingSafeEqual(Buffer.from(sha256(token)), Buffer.from(conversation.tokenSha256));
    return isItsToken ? conversation : undefined;
  }

  async function useTool(conversation: Conversation, call: ToolRequest): Promise<ToolAnswer> {
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
  }
}

const tokenOf = (authorization: string) => authorization.replace(/^Bearer +/i, "");

const holderOf = (simulationId: string, token: string) => `tools-${sha256(`${simulationId} ${token}`)}`;

const unknownToken = () =>
  new AppError(
    "not_authenticated",
    "Send the token of a simulation that is under way, as `Authorization: Bearer …`; each message to the agent carries it.",
  );

type CallbackTokens = {
  create: () => string;
  /** Returns whether a process with the same secret created the token. Always false without a secret. */
  isOurs: (token: string) => boolean;
};

/**
 * Signs tokens with the secret that all processes share. Without a secret there is one process. That process finds each token among its own
 * conversations, so the tokens need no signature.
 */
export function createCallbackTokens(secret: string | undefined): CallbackTokens {
  if (secret === undefined) return { create: newToken, isOurs: () => false };
  const signed = (random: string) =>
    random + createHmac("sha256", secret).update(`callback ${random}`).digest("base64url");
  const { length } = newToken();
  return {
    create: () => signed(newToken()),
    isOurs(token) {
      const [given, expected] = [token, signed(token.slice(0, length))].map((text) => Buffer.from(text));
      return given!.length === expected!.length && timingSafeEqual(given!, expected!);
    },
  };
}

/** Adds the tool calls to the turn that follows them. */
export function callWithTools(line: AgentLine, callback: ToolCallback): AgentLine {
  const withTools = <Turn extends object | null>(turn: Turn): Turn => turn && { ...turn, toolUses: callback.take() };
  return {
    ...line,
    callsToolsBack: true,
    open: async (signal, hear) => withTools(await line.open(signal, hear)),
    say: async (text, signal, hear) => withTools(await line.say(text, signal, hear)),
    partFrom: async (signal) => withTools(await line.partFrom!(signal)),
    async close() {
      callback.end();
      await line.close();
    },
  };
}
