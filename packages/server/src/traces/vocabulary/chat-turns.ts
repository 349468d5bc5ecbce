import type { StoredSpan } from "../stored-span.ts";
import type { ChatMessage } from "./chat-messages.ts";
import type { TurnDraft } from "./vocabulary.ts";

/** A request to a model with the chat so far, which mostly repeats what was said before. */
export type ModelRequest = {
  span: StoredSpan;
  chat: ChatMessage[];
  answer: ChatMessage[];
  asksTools: boolean; // the model waits for tools, so that the next request goes on with the same turn
};

type ChatTurns = {
  turns: TurnDraft[];
  /** The agent's turn that a request belongs to. */
  turnOf(request: ModelRequest): TurnDraft | null;
};

/** What the user said and what the agent did about it. */
type Exchange = { user: TurnDraft | null; agent: TurnDraft | null; texts: string[]; last: ModelRequest | null };

/** A user's message and the exchange that it began. */
type Asked = { text: string | null; exchange: Exchange };

/** So many messages of another chat may lie between two requests of one. */
const STRANGERS = 3;

/** Each thing said once, from `requests` by start. */
export function chatTurns(requests: readonly ModelRequest[]): ChatTurns {
  const exchanges: Exchange[] = [];
  const asked: Asked[] = [];
  const exchangeOf = new Map<ModelRequest, Exchange>();
  for (const request of requests) {
    const exchange = readChat(request, exchanges, asked);
    exchangeOf.set(request, exchange);
    takeAnswer(exchange, request);
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

/** Adds what the request's chat tells for the first time; gives back the exchange that the request answers. */
function readChat(request: ModelRequest, exchanges: Exchange[], asked: Asked[]): Exchange {
  const said = request.chat.filter(({ role, isSaid }) => isSaid && (role === "user" || role === "agent"));
  const users = said.filter(({ role }) => role === "user");
  const known = knownUsers(request, said, users, exchanges, asked);
  // Of a chat that is met in its middle, what was said before belongs to other spans.
  const told = known.count === 0 && users.length > 1 ? users.length - 1 : known.count;
  const isBeginning = exchanges.length === 0 && users.length <= 1;

  const begin = (): Exchange => {
    const exchange: Exchange = { user: null, agent: null, texts: [], last: null };
    exchanges.push(exchange);
    return exchange;
  };
  let exchange = isBeginning && said[0]?.role === "agent" ? begin() : null;
  let retold: string[] = [];
  let user = -1;
  const settle = () => {
    if (exchange !== null && retold.length > exchange.texts.length) exchange.texts = retold;
    retold = [];
  };
  said.forEach(({ role, text }, place) => {
    const toldNs = request.span.startNs - BigInt(said.length - 1 - place); // a nanosecond apart, to keep their order
    if (role === "user") {
      settle();
      user++;
      exchange = user < known.count ? asked[known.from + user]!.exchange : null;
      if (user < told) return;
      exchange = begin();
      exchange.user = turn("user", request.span, toldNs, null, text);
      asked.push({ text, exchange });
    } else if (exchange !== null && text !== null) {
      exchange.agent ??= turn("agent", request.span, toldNs, null, null);
      retold.push(text);
    }
  });
  settle();
  if (users.length > 0) return exchange ?? begin();
  const current = exchanges.at(-1);
  return current?.last?.asksTools ? current : begin();
}

/** How many of the chat's first user messages are known, and from where on in `asked` they lie. */
function knownUsers(
  { span }: ModelRequest,
  said: readonly ChatMessage[],
  users: readonly ChatMessage[],
  exchanges: readonly Exchange[],
  asked: readonly Asked[],
): { count: number; from: number } {
  for (let strangers = 0; strangers <= Math.min(STRANGERS, asked.length); strangers++) {
    const end = asked.length - strangers;
    const count = overlap(asked, end, users);
    if (count === 0) continue;
    if (count === 1 && said.length === 1 && isSaidAgain(span, exchanges.at(-1)!)) break;
    return { count, from: end - count };
  }
  return { count: 0, from: 0 };
}

function takeAnswer(exchange: Exchange, request: ModelRequest): void {
  const { span, answer } = request;
  const texts = answer.flatMap(({ text }) => text ?? []);
  const isSilent = texts.length === 0 && !request.asksTools;
  if (isSilent && (span.endNs === null || span.status === "error")) return;
  if (exchange.last === null) exchange.agent = turn("agent", span, span.startNs, span.endNs, null);
  else {
    exchange.agent!.spanIds.push(span.spanId);
    exchange.agent!.endNs = later(exchange.agent!.endNs, span.endNs);
  }
  exchange.last = request;
  if (texts.length > 0) exchange.texts.push(texts.join("\n"));
}

/** A single message without its history: the words before it, said once more, unless it is sent to a second model. */
const isSaidAgain = (span: StoredSpan, before: Exchange): boolean =>
  before.last !== null && !before.last.asksTools && before.last.span.parentSpanId !== span.parentSpanId;

type Text = { text: string | null };

/** How many of the first of `list` are the last of `known` up to `end`, the most that can be (Knuth, Morris and Pratt). */
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
  interrupted: null,
  speechId: null,
  confidence: null,
  spanIds: [span.spanId],
});
