import { createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { AppError, unavailable } from "../../base/errors.ts";
import { newToken, sha256 } from "../../base/secrets/secrets.ts";
import type { AgentLine, ToolRequest, ToolUse, UseTool } from "./line.ts";
import type { Relay } from "./relay.ts";

/** The mocked tools of one conversation, which the agent may call until `end`. */
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
  /** Accepts tool calls from the simulation's agent until the returned callback is ended. */
  begin: (simulationId: string, use: UseTool, signal: AbortSignal) => ToolCallback;
  /**
   * Refuses a token that cannot belong to any conversation, with the same error as `answer`. Asks neither the store nor another
   * process.
   */
  requireToken: (simulationId: string, authorization: string) => void;
  /**
   * Returns the mock's result or error, even if another process plays the conversation. Refuses an unknown simulation and a
   * wrong token with the same error. Refuses more tool calls than one turn may have.
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

  /** Returns the simulation's conversation in this process when the token opens it. */
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

/** Tokens with which agents call mocked tools. */
type CallbackTokens = {
  create: () => string;
  /** Returns whether a process with the same secret made the token; false without a secret. */
  isOurs: (token: string) => boolean;
};

/** Signs tokens with the secret that all processes share. Without a secret, the only process knows its tokens and signs none. */
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

/** Returns the line of a call whose agent calls mocked tools at the service; each answer has the tool calls before it. */
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
