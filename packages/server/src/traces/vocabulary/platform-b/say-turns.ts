import { byStart } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { agentMessages, spansWithChat, type AgentMessage } from "./chat-context.ts";
import type { Speech } from "./speeches.ts";
import { textsOf } from "./step-texts.ts";

/** A message's time and its audio span's start are one reading of the clock, rounded. */
const SAME_START_MS = 50;

/** A message enters the chat when it was played to its end: a request made during it does not have it yet. */
const CHATS_READ = 3;

/** Audio beyond this many gets no text, which bounds the search. */
const MOST_SAYINGS = 500;

/**
 * What `session.say()` spoke is text in no span of its own; the next requests to the model repeat it in their chat. A
 * message is taken by its time, or, where the chat has no times, when the chat has just as many messages that no speech
 * said as there were sayings before it. Otherwise the text is not known.
 */
export function sayTurns(
  sayings: readonly StoredSpan[],
  spans: readonly StoredSpan[],
  speeches: readonly Speech[],
): TurnDraft[] {
  if (sayings.length === 0) return [];
  const ordered = sayings.toSorted(byStart);
  const messageOf = messageFinder(ordered, spans, speeches);
  return ordered.map((saying, place) => sayTurn(saying, place < MOST_SAYINGS ? messageOf(saying, place) : undefined));
}

function messageFinder(
  ordered: readonly StoredSpan[],
  spans: readonly StoredSpan[],
  speeches: readonly Speech[],
): (saying: StoredSpan, place: number) => AgentMessage | undefined {
  const chats = spansWithChat(spans).sort(byStart);
  const bySpeeches = new Set(speeches.flatMap(textsOf));
  const chatOf = (span: StoredSpan): Chat => {
    const messages = agentMessages(span);
    return {
      timed: messages.filter((message) => message.startedMs !== null),
      unclaimed: messages.filter((message) => !bySpeeches.has(message.text)),
      sayingsBefore: ordered.filter((saying) => lastOf(saying) <= span.startNs).length,
    };
  };
  const known = new Map<StoredSpan, Chat>();
  const read = (span: StoredSpan): Chat => {
    const chat = known.get(span) ?? chatOf(span);
    known.set(span, chat);
    return chat;
  };

  return (saying, place) => {
    const first = chats.findIndex((span) => span.startNs >= saying.startNs);
    const next = first < 0 ? [] : chats.slice(first, first + CHATS_READ).map(read);
    if (next.some((chat) => chat.timed.length > 0)) {
      return next.flatMap((chat) => chat.timed.find((message) => isOf(message, saying)) ?? []).at(0);
    }
    const chat = next.find((later) => later.sayingsBefore > place);
    return chat?.unclaimed.length === chat?.sayingsBefore ? chat?.unclaimed[place] : undefined;
  };
}

/** What the agent said before one request to the model. */
type Chat = { timed: AgentMessage[]; unclaimed: AgentMessage[]; sayingsBefore: number };

const lastOf = (span: StoredSpan): bigint => span.endNs ?? span.startNs;

const isOf = (message: AgentMessage, saying: StoredSpan): boolean =>
  message.startedMs !== null && Math.abs(message.startedMs - Number(saying.startNs) / 1e6) <= SAME_START_MS;

function sayTurn(saying: StoredSpan, message: AgentMessage | undefined): TurnDraft {
  return {
    role: "agent",
    text: message?.text ?? null,
    startNs: saying.startNs,
    endNs: saying.endNs,
    interrupted: message?.interrupted ?? null,
    speechId: null,
    confidence: null,
    spanIds: [saying.spanId],
  };
}
