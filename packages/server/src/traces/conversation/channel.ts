import type { Channel, ConnectionType } from "@svc/contract";
import type { StoredSpan } from "../stored-span.ts";
import { CONNECTION_TYPE_KEY, isLineStep, SIMULATION_SCOPE, SIMULATION_SPANS } from "../vocabulary/simulation-names.ts";
import type { Conversation } from "./conversation.ts";

/** `websocket_audio` is the protocol with which telephony providers connect a telephone call to an agent. */
const CHANNEL_OF_CONNECTION: Record<ConnectionType, Channel> = {
  phone_number: "telephone",
  incoming_call: "telephone",
  sip: "telephone",
  websocket_audio: "telephone",
  platform_a_web_call: "room",
  platform_b_room: "room",
  http_chat: "text",
  platform_a_chat_api: "text",
  platform_b_console: "text",
  sample_agent: "text",
};

/** The channel for each type of call that Retell reports. */
const CHANNEL_OF_CALL: Record<string, Channel> = { phone_call: "telephone", web_call: "room" };

/** The channel for each kind of LiveKit participant that the caller may be, as Python and JavaScript name the kinds. */
const CHANNEL_OF_PARTICIPANT: Record<string, Channel> = {
  PARTICIPANT_KIND_SIP: "telephone",
  SIP: "telephone",
  PARTICIPANT_KIND_STANDARD: "room",
  STANDARD: "room",
};

const PARTICIPANT_KIND = "lk.participant_kind";
const PARTICIPANT_LINKED = "participant_linked";
const SIP_KEY = /^(?:lk\.(?:pii\.)?)?sip\./;

/** The participant of this span is the agent itself. */
const AGENT_SPEAKING = "agent_speaking";

/**
 * Returns the channel of a conversation, and null when nothing shows it. `isPart` is true if spans are missing: a conversation without
 * sound is not known to be typed then. If people came by several channels, for example after a transfer, the first counts.
 */
export function channelOf(
  spans: readonly StoredSpan[],
  { modality, turns, callReport }: Pick<Conversation, "modality" | "turns" | "callReport">,
  isPart: boolean,
): Channel | null {
  const simulated = channelOfSimulation(spans);
  if (simulated !== null) return simulated;
  const reported = valueIn(CHANNEL_OF_CALL, callReport?.callType);
  if (reported !== null) return reported;
  const joined = spans.flatMap(joinedBy);
  const first = joined.toSorted(byTime)[0]?.channel ?? null;
  const isTyped = modality === "text" && turns.length > 0 && !isPart;
  return isTyped && first !== "telephone" ? "text" : first;
}

function channelOfSimulation(spans: readonly StoredSpan[]): Channel | null {
  const root = spans.find(({ scopeName, name }) => scopeName === SIMULATION_SCOPE && name === SIMULATION_SPANS.root);
  const named = valueIn(CHANNEL_OF_CONNECTION, root?.attributes[CONNECTION_TYPE_KEY]);
  return named ?? (spans.some(isLineStep) ? "telephone" : null);
}

type Joined = { channel: Channel; atNs: bigint };

function joinedBy({ name, attributes, events, startNs }: StoredSpan): Joined[] {
  if (name === AGENT_SPEAKING) return [];
  const isSip = Object.keys(attributes).some((key) => SIP_KEY.test(key));
  const kinds = [
    { kind: attributes[PARTICIPANT_KIND], atNs: startNs },
    ...events
      .filter((event) => event.name === PARTICIPANT_LINKED)
      .map(({ attributes: linked, timeNs }) => ({ kind: linked[PARTICIPANT_KIND], atNs: timeNs })),
  ];
  return [
    ...(isSip ? [{ channel: "telephone" as const, atNs: startNs }] : []),
    ...kinds.flatMap(({ kind, atNs }) => {
      const channel = valueIn(CHANNEL_OF_PARTICIPANT, kind);
      return channel === null ? [] : [{ channel, atNs }];
    }),
  ];
}

const byTime = (one: Joined, other: Joined): number =>
  one.atNs < other.atNs
    ? -1
    : one.atNs > other.atNs
      ? 1
      : Number(other.channel === "telephone") - Number(one.channel === "telephone");

const valueIn = <Value>(table: Record<string, Value>, key: unknown): Value | null =>
  typeof key === "string" && Object.hasOwn(table, key) ? table[key]! : null;
