import type { CallLine } from "@svc/contract";
import type { LineFacts, PacketCounts } from "../voice/calls/call.ts";

export function presentLine(line: LineFacts | null | undefined): CallLine | null {
  if (!line) return null;
  const { steps, codec, received, sent, roundTripMs, condition, estimatedMos } = line;
  return {
    steps: steps.map(({ step, atMs, by, status }) => ({ step, at: new Date(atMs).toISOString(), by, status })),
    codec,
    received: received && presentPackets(received),
    sent: sent && presentPackets(sent),
    roundTripMs: rounded(roundTripMs),
    condition: condition ?? null,
    estimatedMos,
  };
}

const presentPackets = ({ packets, lost, late, jitterMs, jitterMaxMs }: PacketCounts) => ({
  packets,
  lost,
  late,
  jitterMs: rounded(jitterMs),
  jitterMaxMs: rounded(jitterMaxMs),
});

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);
