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

export type ChatTurns = {
  turns: TurnDraft[];
  /** The agent's turn that a request belongs to. */
  turnOf(request: ModelRequest): TurnDraft | null;
};

/** What the user said and what the agent did about it. */
type Exchange = { user: TurnDraft | null; agent: TurnDraft | null; texts: string[]; last: ModelRequest | null };

/** Each thing said once, from `requests` by start. */
export function chatTurns(requests: readonly ModelRequest[]): ChatTurns {
  const exchanges: Exchange[] = [];
  const asked: { exchange: Exchange; text: string | null }[] = [];
  const exchangeOf = new Map<ModelRequest, Exchange>();
  const begin = (): Exchange => {
    const exchange: Exchange = { user: null, agent: null, texts: [], last: null };
    exchanges.push(exchange);
    return exchange;
  };

  for (const request of requests) {
    const said = request.chat.filter(({ role, isSaid }) => isSaid && (role === "user" || role === "agent"));
    const users = said.flatMap(({ role, text }) => (role === "user" ? { text } : []));
    let known = overlap(asked, users);
    if (known === 1 && said.length === 1 && isSaidAgain(request, exchanges.at(-1))) known = 0;
    const fresh = known === 0 && users.length > 1 ? users.length - 1 : known;
    const before = asked.length - known;

    let exchange: Exchange | undefined;
    let user = -1;
    let retold: string[] = [];
    const settle = () => {
      if (exchange !== undefined && retold.length > exchange.texts.length) exchange.texts = retold;
      retold = [];
    };
    said.forEach(({ role, text }, place) => {
      const toldNs = request.span.startNs - BigInt(said.length - 1 - place); // a nanosecond apart, to keep their order
      if (role === "user") {
        settle();
        user++;
        exchange = user < known ? asked[before + user]!.exchange : undefined;
        if (user < fresh) return;
        exchange = begin();
        exchange.user = turn("user", request.span, toldNs, null, text);
        asked.push({ exchange, text });
        return;
      }
      if (text === null || (user === -1 && (users.length > 1 || exchanges.length > (exchange ? 1 : 0)))) return;
      exchange ??= user === -1 ? begin() : undefined;
      if (exchange === undefined) return;
      exchange.agent ??= turn("agent", request.span, toldNs, null, null);
      retold.push(text);
    });
    settle();

    if (users.length === 0) {
      const current = exchanges.at(-1);
      exchange = current?.last?.asksTools ? current : begin();
    }
    exchange ??= exchanges.at(-1) ?? begin();
    exchangeOf.set(request, exchange);
    takeAnswer(exchange, request);
  }

  const agents = exchanges.flatMap(({ agent, texts }) => {
    if (agent !== null) agent.text = texts.length === 0 ? null : texts.join("\n");
    return agent ?? [];
  });
  return {
    turns: [...exchanges.flatMap(({ user }) => user ?? []), ...agents],
    turnOf: (request) => exchangeOf.get(request)?.agent ?? null,
  };
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
  if (texts.length > 0) exchange.texts = [...exchange.texts, texts.join("\n")];
}

/** A single message without its history: the words before it, said once more, unless it is sent to a second model. */
const isSaidAgain = ({ span }: ModelRequest, before: Exchange | undefined): boolean =>
  before !== undefined &&
  before.last !== null &&
  !before.last.asksTools &&
  before.last.span.parentSpanId !== span.parentSpanId;

/** How many of the first of `list` are the last of `known`, the most that can be. */
function overlap(known: readonly { text: string | null }[], list: readonly { text: string | null }[]): number {
  const back: number[] = [0];
  for (let at = 1, length = 0; at < list.length; at++) {
    while (length > 0 && list[at]!.text !== list[length]!.text) length = back[length - 1]!;
    if (list[at]!.text === list[length]!.text) length++;
    back[at] = length;
  }
  let length = 0;
  for (let at = Math.max(0, known.length - list.length); at < known.length; at++) {
    while (length > 0 && (length === list.length || list[length]!.text !== known[at]!.text)) length = back[length - 1]!;
    if (length < list.length && list[length]!.text === known[at]!.text) length++;
  }
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
