import type { Quality } from "@svc/contract";
import { UNMAPPED_KEYS_SHOWN } from "@svc/contract/constants";
import type { Conversation } from "./conversation.ts";
import { doubtOfTimes } from "../measures/heard.ts";

export type QualityTopic = Quality["notes"][number]["about"];

type SummaryFacts = {
  rootEnded: boolean;
  endedNs: bigint | null;
  lastReceivedMs: number;
  truncated: boolean;
  impossibleTimes?: number;
};

const LATE_MS = 60_000;
const KEY_CHARACTERS = 100;

export function qualityOf(conversation: Conversation, facts: SummaryFacts): Quality {
  const { generation, session, turns, toolCalls, quality } = conversation;
  const isImported = conversation.vocabulary === "platform_a"; // imported after the call's end, perhaps days later
  const rootMissing = !facts.rootEnded && (session?.endNs ?? null) === null;
  const endedNs = rootMissing || isImported ? null : facts.endedNs;
  const delayMs = endedNs === null ? null : facts.lastReceivedMs - Number(endedNs / 1_000_000n);
  const hasContent =
    turns.some((turn) => turn.text !== null) ||
    toolCalls.some((call) => call.arguments !== null || call.result !== null);
  const card = {
    generation,
    language: quality.language,
    unitsInferred: quality.unitsInferred,
    contentWithheld: quality.contentWithheld ?? (turns.length + toolCalls.length === 0 ? null : !hasContent),
    turnsWithoutText: turns.filter((turn) => turn.text === null).length,
    rootMissing,
    lateSpans: delayMs === null ? null : delayMs > LATE_MS,
    spansWithoutContent: conversation.lostSpans ?? 0,
    impossibleTimes: facts.impossibleTimes ?? 0,
    unmappedKeyCount: quality.unmappedKeys.length,
    unmappedKeys: quality.unmappedKeys
      .slice(0, UNMAPPED_KEYS_SHOWN)
      .map(({ key, count }) => ({ key: key.slice(0, KEY_CHARACTERS).toWellFormed(), count })),
  };
  return { ...card, notes: notesOn(card, conversation, facts, delayMs) };
}

export const topicsOf = ({ notes }: Pick<Quality, "notes">): QualityTopic[] => [
  ...new Set(notes.map(({ about }) => about)),
];

function notesOn(
  card: Omit<Quality, "notes">,
  { vocabulary, turns, quality, heard, earlierAttemptSpans = 0 }: Conversation,
  facts: SummaryFacts,
  delayMs: number | null,
): Quality["notes"] {
  const notes: Quality["notes"] = [];
  const note = (about: QualityTopic, sentence: string) => notes.push({ about, sentence });
  if (vocabulary === null) {
    note("vocabulary", "No vocabulary reads these spans. They are stored, but they give no turns and no measures.");
  } else if (card.generation === null) {
    note(
      "generation",
      "The spans do not show which version of the platform's names they use; all versions were tried.",
    );
  }
  for (const { attribute, unit, by } of card.unitsInferred) {
    note("units", `\`${attribute}\` was read as ${unit}: ${UNIT_REASONS[by]}.`);
  }
  if (quality.contentWithheld === true) {
    note("content", "The platform is set to store no content of calls. Texts and tool calls are missing.");
  } else if (card.contentWithheld === true) {
    note("content", "The sender withheld all content. Turns and tool calls are shown without it.");
  } else if (card.turnsWithoutText > 0) {
    note("content", `${card.turnsWithoutText} of ${turns.length} turns have no text.`);
  }
  if (card.rootMissing) {
    note(
      "root",
      "The span of the whole conversation has not arrived: the conversation goes on, or the worker crashed.",
    );
  }
  if (card.lateSpans === true) {
    const seconds = Math.round(delayMs! / 1000);
    note("late_spans", `Spans arrived ${seconds} seconds after the conversation's end, or a clock is wrong.`);
  }
  if (card.spansWithoutContent > 0) {
    const spans = card.spansWithoutContent === 1 ? "1 span has" : `${card.spansWithoutContent} spans have`;
    note(
      "lost_content",
      `${spans} lost their content, because the service's storage was damaged. Counts and measures are unknown, and graders cannot rely on what is missing.`,
    );
  }
  if (card.impossibleTimes > 0) {
    note(
      "times",
      "Some times are impossible, for example an end before its start. They count as unknown. Check the sender's clocks.",
    );
  }
  const { credentialsRemoved = 0, stalledTurns = 0 } = quality;
  if (credentialsRemoved > 0) {
    const items =
      credentialsRemoved === 1 ? "1 turn or tool call is" : `${credentialsRemoved} turns and tool calls are`;
    note("credentials", `${items} shown without text, because a key of this service or of the platform was in it.`);
  }
  if (stalledTurns > 0) {
    const answers = stalledTurns === 1 ? "1 answer" : `${stalledTurns} answers`;
    note("stalls", `The service itself stalled while it waited for ${answers}. When they ended is unknown.`);
  }
  if (earlierAttemptSpans > 0) {
    const spans = earlierAttemptSpans === 1 ? "1 span is" : `${earlierAttemptSpans} spans are`;
    note(
      "earlier_attempts",
      `${spans} of an earlier attempt, which the service played again after a stall or a stop. Turns, tool calls and measures are those of the last attempt; the start, the duration and the number of spans are those of all attempts.`,
    );
  }
  const doubt = heard === undefined ? null : doubtOfTimes(heard);
  if (doubt !== null) note("call_timing", `${doubt} No verdict depends on them.`);
  if (card.unmappedKeyCount > 0) {
    const keys = card.unmappedKeyCount === 1 ? "1 key" : `${card.unmappedKeyCount} keys`;
    note("unmapped_keys", `The vocabulary does not map ${keys} of the platform. The spans keep them.`);
  }
  if (facts.truncated) {
    note("truncated", "The conversation has too many spans to read all. Turns, calls and measures cover a part of it.");
  }
  return notes;
}

const UNIT_REASONS: Record<Quality["unitsInferred"][number]["by"], string> = {
  span_times: "the times of the spans agree with that unit",
  names: "other names in the spans belong to a sender that uses that unit",
  size: "the size of the value suggests that unit",
};
