import { conditionKey, LINE_KEYS, LINE_STEP_SPAN, packetKey } from "../../traces/vocabulary/simulation-names.ts";
import type { LineFacts, PacketCounts } from "../../voice/calls/call.ts";
import type { NetworkCounts } from "../../voice/calls/lines/packet-network.ts";
import type { CallSpan } from "./call-spans.ts";

export function lineAttributes({ codec, received, sent, roundTripMs, condition, estimatedMos }: LineFacts) {
  return known({
    [LINE_KEYS.codec]: codec,
    ...packetAttributes("received", received),
    ...packetAttributes("sent", sent),
    [LINE_KEYS.roundTripMs]: roundTripMs,
    [LINE_KEYS.condition]: condition?.name ?? null,
    ...conditionAttributes("toAgent", condition?.toAgent),
    ...conditionAttributes("fromAgent", condition?.fromAgent),
    [LINE_KEYS.estimatedMos]: estimatedMos,
  });
}

const conditionAttributes = (direction: "toAgent" | "fromAgent", counts: NetworkCounts | undefined) =>
  counts === undefined
    ? {}
    : {
        [conditionKey(direction, "packets")]: counts.packets,
        [conditionKey(direction, "lost")]: counts.lost,
        [conditionKey(direction, "late")]: counts.late,
      };

const packetAttributes = (direction: "received" | "sent", counts: PacketCounts | null) =>
  Object.fromEntries(
    Object.entries(counts ?? {}).map(([name, value]) => [packetKey(direction, name as keyof PacketCounts), value]),
  );

const known = (values: Record<string, string | number | null>): Record<string, string | number> =>
  Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));

export const lineSpans = ({ steps }: LineFacts): CallSpan[] =>
  steps.map(({ step, atMs, by, status }, at) => ({
    part: `line step ${at}`,
    name: LINE_STEP_SPAN,
    startMs: atMs,
    endMs: atMs,
    order: at,
    attributes: known({ [LINE_KEYS.step]: step, [LINE_KEYS.by]: by, [LINE_KEYS.status]: status }),
  }));
