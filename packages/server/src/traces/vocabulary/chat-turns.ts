import type { StoredSpan } from "../stored-span.ts";
import type { ChatMessage } from "./chat-messages.ts";
import { EMPTY_TURN } from "./empty-turn.ts";
import type { TurnDraft } from "./vocabulary.ts";

/** A request to a language model. Its chat repeats most of the conversation so far. */
export type ModelRequest = {
  span: StoredSpan;
  chat: ChatMessage[];
  answer: ChatMessage[];
  agentName?: string | null;
  requestsTools: boolean; // the model waits for tool results; the next request continues the same turn
  isLive?: boolean; // the session remembers the chat, so a single user message is a new message
};

type ChatTurns = {
  turns: TurnDraft[];
  turnOf(request: ModelRequest): TurnDraft | null;
};

/** A turn of the user and the agent turn that answers it. `last` is the last request of the agent turn. */
type Exchange = { user: TurnDraft | null; agent: TurnDraft | null; texts: string[]; last: ModelRequest | null };

type UserMessage = { text: string | null; exchange: Exchange };

/** Between two requests of one chat, other chats may add up to this many user messages. */
const MOST_FOREIGN_MESSAGES = 3;

/** Returns every turn once, although each chat repeats earlier turns. `requests` must be sorted by start. */
export function chatTurns(requests: readonly ModelRequest[]): ChatTurns {
  const exchanges: Exchange[] = [];
  const userMessages: UserMessage[] = [];
  const exchangeOf = new Map<ModelRequest, Exchange>();
  for (const request of requests) {
    const exchange = readChat(request, exchanges, userMessages);
    exchangeOf.set(request, exchange);
    addAnswer(exchange, request);
  }
  const agents = exchanges.flatMap(({ agent, texts }) => {
    if (agent !== null && texts.length > 0) agent.text = texts.join("\n");
    return agent ?? [];
  });
  return {
    turns: [...exchanges.flatMap(({ user }) => user ?? []), ...agents],
    turnOf: (request) => exchangeOf.get(request)?.agent ?? null,
  };
}

/** Adds the exchanges that were in no earlier chat. Returns the exchange that the request answers. */
function readChat(request: ModelRequest, exchanges: Exchange[], userMessages: UserMessage[]): Exchange {
  const spoken = request.chat.filter(({ role, hasContent }) => hasContent && (role === "user" || role === "agent"));
  const users = spoken.filter(({ role }) => role === "user");
  const repeated = repeatedMessages(request, spoken, users, exchanges, userMessages);
  // If no message of the chat is known, the chat may start in the middle of the conversation. Its earlier messages then belong to other
  // spans.
  const skipped = repeated.count === 0 && users.length > 1 ? users.length - 1 : repeated.count;
  const isBeginning = exchanges.length === 0 && users.length <= 1;

  const begin = (): Exchange => {
    const exchange: Exchange = { user: null, agent: null, texts: [], last: null };
    exchanges.push(exchange);
    return exchange;
  };
  let exchange = isBeginning && spoken[0]?.role === "agent" ? begin() : null;
  let agentTexts: string[] = [];
  let user = -1;
  const keepAgentTexts = () => {
    if (exchange !== null && agentTexts.length > exchange.texts.length) exchange.texts = agentTexts;
    agentTexts = [];
  };
  spoken.forEach(({ role, text }, position) => {
    const startNs = request.span.startNs - BigInt(spoken.length - 1 - position); // one nanosecond apart, which preserves their order
    if (role === "user") {
      keepAgentTexts();
      user++;
      exchange = user < repeated.count ? userMessages[repeated.from + user]!.exchange : null;
      if (user < skipped) return;
      exchange = begin();
      exchange.user = turn("user", request.span, startNs, null, text);
      userMessages.push({ text, exchange });
    } else if (exchange !== null && text !== null) {
      exchange.agent ??= turn("agent", request.span, startNs, null, null);
      agentTexts.push(text);
    }
  });
  keepAgentTexts();
  if (users.length > 0) return exchange ?? begin();
  const current = exchanges.at(-1);
  return current?.last?.requestsTools ? current : begin();
}

/** Returns the number of the chat's first user messages that earlier requests contain, and the index of the first in `userMessages`. */
function repeatedMessages(
  { span, isLive = false }: ModelRequest,
  spoken: readonly ChatMessage[],
  users: readonly ChatMessage[],
  exchanges: readonly Exchange[],
  userMessages: readonly UserMessage[],
): { count: number; from: number } {
  if (isLive && users.length === 1) return { count: 0, from: 0 };
  for (let foreign = 0; foreign <= Math.min(MOST_FOREIGN_MESSAGES, userMessages.length); foreign++) {
    const end = userMessages.length - foreign;
    const count = overlap(userMessages, end, users);
    if (count === 0) continue;
    if (count === 1 && spoken.length === 1 && beginsExchange(span, exchanges.at(-1)!)) break;
    return { count, from: end - count };
  }
  return { count: 0, from: 0 };
}

function addAnswer(exchange: Exchange, request: ModelRequest): void {
  const { span, answer } = request;
  const texts = answer.flatMap(({ text }) => text ?? []);
  const isSilent = texts.length === 0 && !request.requestsTools;
  if (isSilent && (span.endNs === null || span.status === "error")) return;
  const agentName = request.agentName ?? null;
  if (exchange.last === null) exchange.agent = { ...turn("agent", span, span.startNs, span.endNs, null), agentName };
  else {
    exchange.agent!.agentName ??= agentName;
    exchange.agent!.spanIds.push(span.spanId);
    exchange.agent!.endNs = later(exchange.agent!.endNs, span.endNs);
  }
  exchange.last = request;
  if (texts.length > 0) exchange.texts.push(texts.join("\n"));
}

/**
 * Decides about a chat whose only message repeats the last user message. Returns true when the user said the same again, which begins a
 * new exchange. Returns false when the agent sends the message to a second model under the same parent span.
 */
const beginsExchange = (span: StoredSpan, before: Exchange): boolean =>
  before.last !== null && !before.last.requestsTools && before.last.span.parentSpanId !== span.parentSpanId;

const later = (a: bigint | null, b: bigint | null): bigint | null => (a === null || (b !== null && b > a) ? b : a);

const turn = (
  role: TurnDraft["role"],
  span: StoredSpan,
  startNs: bigint,
  endNs: bigint | null,
  text: string | null,
): TurnDraft => ({
  role,
  text,
  startNs,
  endNs,
  ...EMPTY_TURN,
  spanIds: [span.spanId],
});

type Text = { text: string | null };

/**
 * Returns how many of the first items of `list` are also the last items of `known` before the index `end`, compared by text. Uses the
 * Knuth–Morris–Pratt algorithm, which needs only linear time.
 */
function overlap(known: readonly Text[], end: number, list: readonly Text[]): number {
  const from = Math.max(0, end - list.length);
  if (from === end) return 0;
  const back: number[] = [0];
  let length = 0;
  const step = (text: string | null) => {
    while (length > 0 && (length === list.length || list[length]!.text !== text)) length = back[length - 1]!;
    if (list[length]!.text === text) length++;
  };
  for (let at = 1; at < list.length; at++) {
    step(list[at]!.text);
    back[at] = length;
  }
  length = 0;
  for (let at = from; at < end; at++) step(known[at]!.text);
  return length;
}
