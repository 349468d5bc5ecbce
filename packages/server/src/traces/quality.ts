import { UNMAPPED_KEYS_SHOWN, type Quality } from "@svc/contract";
import type { Conversation } from "./conversation.ts";

/** What the store knows of the conversation's spans. */
type SummaryFacts = {
  rootEnded: boolean;
  endedNs: bigint | null;
  lastReceivedMs: number;
  truncated: boolean; // the conversation was read from a part of the spans
};

const LATE_MS = 60_000;
const KEY_CHARACTERS = 100;

/** How far the spans of a conversation can be trusted, with a sentence on each thing that is not as it should be. */
export function qualityOf(conversation: Conversation, facts: SummaryFacts): Quality {
  const { generation, session, turns, toolCalls, quality } = conversation;
  const isFetched = conversation.callReport !== undefined; // once it has ended, and perhaps days later
  const rootMissing = !facts.rootEnded && (session?.endNs ?? null) === null;
  const endedNs = rootMissing || isFetched ? null : facts.endedNs;
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
    unmappedKeyCount: quality.unmappedKeys.length,
    unmappedKeys: quality.unmappedKeys
      .slice(0, UNMAPPED_KEYS_SHOWN)
      .map(({ key, count }) => ({ key: key.slice(0, KEY_CHARACTERS).toWellFormed(), count })),
  };
  return { ...card, notes: notesOn(card, conversation, facts, delayMs) };
}

function notesOn(
  card: Omit<Quality, "notes">,
  { vocabulary, turns, quality }: Conversation,
  facts: SummaryFacts,
  delayMs: number | null,
): Quality["notes"] {
  const notes: Quality["notes"] = [];
  const note = (about: Quality["notes"][number]["about"], sentence: string) => notes.push({ about, sentence });
  if (vocabulary === null) {
    note("vocabulary", "The spans are in no vocabulary that is read: they are kept, but nothing can be measured.");
  } else if (card.generation === null) {
    note("generation", "Nothing tells which version of the platform's names these are; they were read as all of them.");
  }
  for (const { attribute, unit, by } of card.unitsInferred) {
    note("units", `\`${attribute}\` was read as ${unit}: ${TOLD_BY[by]}.`);
  }
  if (quality.contentWithheld === true) {
    note("content", "The platform was told to keep no content of calls: there is no text, and no tool call to show.");
  } else if (card.contentWithheld === true) {
    note("content", "No text was sent: turns and tool calls are shown without their content.");
  } else if (card.turnsWithoutText > 0) {
    note("content", `${card.turnsWithoutText} of ${turns.length} turns came without text.`);
  }
  if (card.rootMissing) {
    note("root", "The span of the whole conversation has not arrived: it goes on, or the worker stopped short.");
  }
  if (card.lateSpans === true) {
    const seconds = Math.round(delayMs! / 1000);
    note("late_spans", `Spans still came ${seconds} seconds after the conversation's end, or a clock is wrong.`);
  }
  if (card.unmappedKeyCount > 0) {
    const keys = card.unmappedKeyCount === 1 ? "1 key is" : `${card.unmappedKeyCount} keys are`;
    note("unmapped_keys", `${keys} not known, though of the platform's family; kept with the spans, unread.`);
  }
  if (facts.truncated) {
    note("truncated", "There are more spans than are read at once: turns, calls and measures are of a part.");
  }
  return notes;
}

const TOLD_BY: Record<Quality["unitsInferred"][number]["by"], string> = {
  span_times: "the times of the spans agree with that",
  names: "the names beside it are of a sender that writes it so",
  size: "only its size tells",
};
