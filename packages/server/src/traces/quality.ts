import { UNMAPPED_KEYS_SHOWN, type Quality } from "@svc/contract";
import type { Conversation } from "./conversation.ts";

/** Facts about a conversation from the store. */
type SummaryFacts = {
  rootEnded: boolean;
  endedNs: bigint | null;
  lastReceivedMs: number;
  truncated: boolean; // the conversation was read from only some of its spans
};

const LATE_MS = 60_000;
const KEY_CHARACTERS = 100;

/** Returns how far the spans of a conversation can be trusted, with a sentence about each problem. */
export function qualityOf(conversation: Conversation, facts: SummaryFacts): Quality {
  const { generation, session, turns, toolCalls, quality } = conversation;
  const isImported = conversation.callReport !== undefined; // after its end, perhaps days later
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
    note("vocabulary", "No known vocabulary fits the spans: they are stored, but nothing can be measured.");
  } else if (card.generation === null) {
    note(
      "generation",
      "The version of the platform's attribute names is unknown; the names of all versions were read.",
    );
  }
  for (const { attribute, unit, by } of card.unitsInferred) {
    note("units", `\`${attribute}\` was read as ${unit}: ${UNIT_EVIDENCE[by]}.`);
  }
  if (quality.contentWithheld === true) {
    note("content", "The platform is set to store no content of calls: there is no text and there are no tool calls.");
  } else if (card.contentWithheld === true) {
    note("content", "No text was sent: turns and tool calls are shown without their content.");
  } else if (card.turnsWithoutText > 0) {
    note("content", `${card.turnsWithoutText} of ${turns.length} turns came without text.`);
  }
  if (card.rootMissing) {
    note(
      "root",
      "The span of the whole conversation has not arrived: the conversation is still going on, or the worker stopped early.",
    );
  }
  if (card.lateSpans === true) {
    const seconds = Math.round(delayMs! / 1000);
    note("late_spans", `Spans arrived up to ${seconds} seconds after the conversation's end, or a clock is wrong.`);
  }
  if (card.unmappedKeyCount > 0) {
    const keys = card.unmappedKeyCount === 1 ? "1 key" : `${card.unmappedKeyCount} keys`;
    note("unmapped_keys", `${keys} of the platform's family cannot be read; the spans still hold the values.`);
  }
  if (facts.truncated) {
    note(
      "truncated",
      "The conversation has more spans than are read at once: turns, calls and measures are incomplete.",
    );
  }
  return notes;
}

const UNIT_EVIDENCE: Record<Quality["unitsInferred"][number]["by"], string> = {
  span_times: "the times of the spans agree",
  names: "a sender with these attribute names writes it in this unit",
  size: "its size is the only evidence",
};
