import { byStart } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, listOf, numberOf, recordOf, structureOf, textOf } from "../attribute-values.ts";
import { EMPTY_TURN } from "../empty-turn.ts";
import type { TurnDraft } from "../vocabulary.ts";
import type { AgentNames } from "./agent-names.ts";
import { contentAttribute } from "./names.ts";
import type { Speech } from "./speeches.ts";
import { stepTexts } from "./step-texts.ts";

/**
 * Largest difference between the start of a message and the start of its audio span. Both times are from one clock and differ only by
 * rounding.
 */
const SAME_START_MS = 50;

/** Number of chats after the audio that are searched. A message enters the chat only after it was played. */
const CHATS_READ = 3;

/** Number of audio spans after which the search for texts stops. */
const MOST_SAY_SPANS = 500;

/**
 * Returns a turn for each audio span of `session.say()`. The text of the turn is only in the chats of the next model requests. When the
 * messages in a chat have times, the message with the time of the audio is the text. Otherwise the messages that belong to no speech are
 * counted. The text is found only when the number of these messages equals the number of `session.say()` audio spans before the chat.
 */
export function sayTurns(
  saySpans: readonly StoredSpan[],
  spans: readonly StoredSpan[],
  speeches: readonly Speech[],
  agentOf: AgentNames,
): TurnDraft[] {
  if (saySpans.length === 0) return [];
  const ordered = saySpans.toSorted(byStart);
  const findMessage = createMessageFinder(ordered, spans, speeches);
  return ordered.map((say, index) =>
    sayTurn(say, index < MOST_SAY_SPANS ? findMessage(say, index) : undefined, agentOf(say)),
  );
}

function createMessageFinder(
  ordered: readonly StoredSpan[],
  spans: readonly StoredSpan[],
  speeches: readonly Speech[],
): (say: StoredSpan, index: number) => AgentMessage | undefined {
  const chatSpans = spansWithChat(spans).sort(byStart);
  const speechTexts = new Set(speeches.flatMap(stepTexts));
  const chatOf = (span: StoredSpan): Chat => {
    const messages = agentMessages(span);
    return {
      timed: messages.filter((message) => message.startedMs !== null),
      unclaimed: messages.filter((message) => !speechTexts.has(message.text)),
      saySpansBefore: ordered.filter((say) => (say.endNs ?? say.startNs) <= span.startNs).length,
    };
  };
  const cache = new Map<StoredSpan, Chat>();
  const read = (span: StoredSpan): Chat => {
    const chat = cache.get(span) ?? chatOf(span);
    cache.set(span, chat);
    return chat;
  };

  return (say, index) => {
    const first = chatSpans.findIndex((span) => span.startNs >= say.startNs);
    const next: Chat[] = [];
    for (const span of first < 0 ? [] : chatSpans.slice(first, first + CHATS_READ)) {
      const chat = read(span);
      const message = chat.timed.find((each) => startsWith(each, say));
      if (message !== undefined) return message;
      next.push(chat);
    }
    if (next.some((chat) => chat.timed.length > 0)) return undefined;
    const chat = next.find((later) => later.saySpansBefore > index);
    return chat?.unclaimed.length === chat?.saySpansBefore ? chat?.unclaimed[index] : undefined;
  };
}

/** `unclaimed` are the messages that belong to no speech. */
type Chat = { timed: AgentMessage[]; unclaimed: AgentMessage[]; saySpansBefore: number };

const startsWith = (message: AgentMessage, say: StoredSpan): boolean =>
  message.startedMs !== null && Math.abs(message.startedMs - Number(say.startNs) / 1e6) <= SAME_START_MS;

function sayTurn(say: StoredSpan, message: AgentMessage | undefined, agentName: string | null): TurnDraft {
  return {
    role: "agent",
    text: message?.text ?? null,
    startNs: say.startNs,
    endNs: say.endNs,
    ...EMPTY_TURN,
    agentName,
    interrupted: message?.interrupted ?? null,
    spanIds: [say.spanId],
  };
}

type AgentMessage = { text: string; startedMs: number | null; interrupted: boolean | null };

/** A greater Unix time must be in milliseconds: in seconds, it would be in the year 5138 or later. */
const LARGEST_SECONDS = 1e11;

function spansWithChat(spans: readonly StoredSpan[]): StoredSpan[] {
  const nodes = spans.filter((span) => span.name === "llm_node" && contentAttribute(span, "chat_ctx") !== undefined);
  if (nodes.length > 0) return nodes;
  return spans.filter((span) => span.name === "llm_request" && span.attributes["gen_ai.input.messages"] !== undefined);
}

/** Returns the agent's messages in the chat of a span, oldest first. */
function agentMessages(span: StoredSpan): AgentMessage[] {
  const chat = structureOf(
    span.name === "llm_node" ? contentAttribute(span, "chat_ctx") : span.attributes["gen_ai.input.messages"],
  );
  return listOf(Array.isArray(chat) ? chat : recordOf(chat)["items"]).flatMap((item) => {
    const message = recordOf(item);
    const text = message["role"] === "assistant" ? wordsOf(message) : null;
    return text === null ? [] : { text, startedMs: startedMs(message), interrupted: flagOf(message["interrupted"]) };
  });
}

/** `content` is a text or a list of texts. GenAI messages have `parts` with `content` instead. */
function wordsOf(message: Record<string, unknown>): string | null {
  const content = message["content"] ?? message["parts"];
  const parts = Array.isArray(content) ? content : [content];
  const words = parts.map(
    (part) => textOf(part) ?? textOf(recordOf(part)["content"]) ?? textOf(recordOf(part)["text"]),
  );
  return textOf(words.filter((text) => text !== null).join("\n"));
}

/** Older JavaScript versions send `startedSpeakingAt`. */
function startedMs(message: Record<string, unknown>): number | null {
  const metrics = recordOf(message["metrics"]);
  const time = numberOf(metrics["started_speaking_at"] ?? metrics["startedSpeakingAt"]);
  return time === null || time > LARGEST_SECONDS ? time : time * 1000;
}
