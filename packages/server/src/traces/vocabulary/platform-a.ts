import type { StoredSpan } from "../stored-span.ts";
import { flagOf, numberOf, textOf } from "./attribute-values.ts";
import { countKeys } from "./count-keys.ts";
import { EMPTY_TURN } from "./empty-turn.ts";
import { callReport } from "./platform-a/call-report.ts";
import { KEY, ORDER_ONLY, PREFIX, SCOPE, SPAN } from "./platform-a/names.ts";
import { speechPeriodsOf } from "./platform-a/spoken-words.ts";
import { toolCalls } from "./platform-a/tools.ts";
import { sessionOf } from "./sessions.ts";
import type { ConversationDraft, TurnDraft, Vocabulary } from "./vocabulary.ts";

const ROLE_OF: Record<string, TurnDraft["role"]> = {
  [SPAN.userTurn]: "user",
  [SPAN.agentTurn]: "agent",
  [SPAN.thirdPartyTurn]: "third_party",
};
const KNOWN_KEYS = new Set<string>(Object.values(KEY));
const KNOWN_PREFIXES = Object.values(PREFIX);

/** Maps the spans that the importer writes for a call of the hosted platform. */
export const platformA: Vocabulary = {
  name: "platform_a",

  recognises: ({ scopeName }) => scopeName === SCOPE,

  read(all) {
    const spans = all.filter((span) => platformA.recognises(span));
    const inOrder = spans.toSorted((a, b) => positionOf(a) - positionOf(b));
    const turnOf = new Map(inOrder.flatMap((span) => (Object.hasOwn(ROLE_OF, span.name) ? [[span, turn(span)]] : [])));
    const call = spans.find(({ name }) => name === SPAN.call);
    const periods =
      call === undefined ? [] : [...turnOf].flatMap(([span, turn]) => speechPeriodsOf(span, turn, call.startNs));
    return {
      generation: call?.scopeVersion ?? null,
      modality: "voice",
      session: sessionOf(call),
      turns: [...turnOf.values()],
      unspokenTurns: [],
      toolCalls: toolCalls(inOrder, turnOf),
      userSpeech: periods.filter(({ turn }) => turn!.role === "user"),
      agentSpeech: periods.filter(({ turn }) => turn!.role === "agent"),
      thirdPartySpeech: periods.filter(({ turn }) => turn!.role === "third_party"),
      modelCalls: [],
      speechCalls: [],
      turnReports: [],
      quality: qualityOf(spans, call),
      timing: "approximate",
      callReport: callReport(spans),
    };
  },
};

/** Returns the span's position in the transcript; spans without one sort last. */
const positionOf = ({ attributes }: StoredSpan): number => numberOf(attributes[KEY.index]) ?? Infinity;

function turn({ name, attributes, startNs, endNs, spanId }: StoredSpan): TurnDraft {
  return {
    role: ROLE_OF[name]!,
    text: textOf(attributes[KEY.content]),
    startNs,
    endNs: attributes[KEY.timing] === ORDER_ONLY ? null : endNs,
    ...EMPTY_TURN,
    spanIds: [spanId],
  };
}

function qualityOf(spans: readonly StoredSpan[], call: StoredSpan | undefined): ConversationDraft["quality"] {
  const withheld = flagOf(call?.attributes[KEY.contentWithheld]);
  const removed = spans.filter(({ attributes }) => flagOf(attributes[KEY.credentialRemoved]) === true).length;
  return {
    language: null,
    unitsInferred: [],
    unmappedKeys: countKeys(
      spans,
      (key) =>
        key.startsWith("platform_a.") &&
        !KNOWN_KEYS.has(key) &&
        !KNOWN_PREFIXES.some((prefix) => key.startsWith(prefix)),
    ),
    ...(withheld !== null && { contentWithheld: withheld }),
    ...(removed > 0 && { credentialsRemoved: removed }),
  };
}
