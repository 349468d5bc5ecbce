import type { StoredSpan } from "../stored-span.ts";
import { flagOf, numberOf, textOf } from "./attribute-values.ts";
import { countedKeys } from "./counted-keys.ts";
import { callReport } from "./platform-a/call-report.ts";
import { KEY, ORDER_ONLY, PREFIX, SCOPE, SPAN } from "./platform-a/names.ts";
import { stretchesOf } from "./platform-a/spoken-words.ts";
import { toolCalls } from "./platform-a/tools.ts";
import type { Reading, TurnDraft, Vocabulary } from "./vocabulary.ts";

const ROLE_OF: Record<string, TurnDraft["role"]> = { [SPAN.userTurn]: "user", [SPAN.agentTurn]: "agent" };
const KNOWN_KEYS = new Set<string>(Object.values(KEY));
const KNOWN_PREFIXES = Object.values(PREFIX);

/** Calls of a hosted platform, as the importer writes them down. */
export const platformA: Vocabulary = {
  name: "platform_a",

  recognises: ({ scopeName }) => scopeName === SCOPE,

  read(all) {
    const spans = all.filter((span) => platformA.recognises(span));
    const inOrder = spans.toSorted((a, b) => placeOf(a) - placeOf(b));
    const turnOf = new Map(inOrder.flatMap((span) => (Object.hasOwn(ROLE_OF, span.name) ? [[span, turn(span)]] : [])));
    const call = spans.find(({ name }) => name === SPAN.call);
    const speech =
      call === undefined ? [] : [...turnOf].flatMap(([span, turn]) => stretchesOf(span, turn, call.startNs));
    return {
      generation: call?.scopeVersion ?? null,
      modality: "voice",
      session: call === undefined ? null : { startNs: call.startNs, endNs: call.endNs },
      turns: [...turnOf.values()],
      toolCalls: toolCalls(inOrder, turnOf),
      userSpeech: speech.filter(({ turn }) => turn!.role === "user"),
      agentSpeech: speech.filter(({ turn }) => turn!.role === "agent"),
      modelCalls: [],
      speechCalls: [],
      turnReports: [],
      quality: qualityOf(spans, call),
      timing: "approximate",
      callReport: callReport(spans),
    };
  },
};

/** In the transcript; of what is beside it, the end. */
const placeOf = ({ attributes }: StoredSpan): number => numberOf(attributes[KEY.index]) ?? Infinity;

function turn({ name, attributes, startNs, endNs, spanId }: StoredSpan): TurnDraft {
  return {
    role: ROLE_OF[name]!,
    text: textOf(attributes[KEY.content]),
    startNs,
    endNs: attributes[KEY.timing] === ORDER_ONLY ? null : endNs,
    interrupted: null,
    speechId: null,
    confidence: null,
    spanIds: [spanId],
  };
}

function qualityOf(spans: readonly StoredSpan[], call: StoredSpan | undefined): Reading["quality"] {
  const withheld = flagOf(call?.attributes[KEY.contentWithheld]);
  return {
    language: null,
    unitsInferred: [],
    unmappedKeys: countedKeys(
      spans,
      (key) =>
        key.startsWith("platform_a.") && !KNOWN_KEYS.has(key) && !KNOWN_PREFIXES.some((of) => key.startsWith(of)),
    ),
    ...(withheld !== null && { contentWithheld: withheld }),
  };
}
