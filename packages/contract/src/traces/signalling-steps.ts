/** Steps of a SIP call's signalling. The schema `SignallingStep` explains them. */
export const SIGNALLING_STEPS = [
  "registered",
  "waiting",
  "invited",
  "challenged",
  "refused",
  "canceled",
  "ringing",
  "answered",
  "heard",
  "ended",
] as const;

/** Parties that cause a step of a SIP call's signalling. */
export const SIGNALLING_PARTIES = ["caller", "agent", "outside"] as const;

type Step = {
  step: (typeof SIGNALLING_STEPS)[number];
  by: (typeof SIGNALLING_PARTIES)[number];
  status: number | null;
};

/** Returns what a party did in a step of a SIP call's signalling, in words: `asked for a password (401)`. */
export function signallingStepText({ step, by, status }: Step): string {
  const withStatus = (words: string) => (status === null ? words : `${words} (${status})`);
  switch (step) {
    case "registered":
      return withStatus("registered the service");
    case "waiting":
      return "waits for a call";
    case "invited":
      return "called";
    case "challenged":
      return withStatus("asked for a password");
    case "refused":
      return withStatus("did not take the call");
    case "canceled":
      return "gave the call up";
    case "ringing":
      return withStatus("rings");
    case "answered":
      return withStatus("answered");
    case "heard":
      return "first sound";
    case "ended":
      if (by === "outside") return "nothing arrived any more";
      return status === null ? "hung up" : withStatus("refused the call");
  }
}

type Counts = {
  packets: number;
  lost: number | null;
  late: number | null;
  jitterMs: number | null;
  jitterMaxMs: number | null;
};

/** Returns the share of packets in one direction that were lost; null when it is unknown. */
export function lostShareOf(counts: Counts, direction: "received" | "sent"): number | null {
  const { packets, lost } = counts;
  if (lost === null) return null;
  const expected = direction === "received" ? packets + lost : packets;
  return expected === 0 ? null : Math.min(1, lost / expected);
}

/** Returns the counts of packets in one direction as words. The text also names the values that are unknown. */
export function packetText(counts: Counts, direction: "received" | "sent"): string {
  const { packets, lost, late, jitterMs, jitterMaxMs } = counts;
  const share = lostShareOf(counts, direction);
  const percent = share === null || share === 0 ? "" : ` (${(share * 100).toFixed(1)}%)`;
  return [
    `${packets} ${packets === 1 ? "packet" : "packets"}`,
    lost === null ? "losses not reported" : `${lost} lost${percent}`,
    ...(late === null ? [] : [`${late} late`]),
    jitterMs === null || jitterMaxMs === null
      ? "jitter unknown"
      : `jitter ${jitterMs.toFixed(1)} ms, at most ${jitterMaxMs.toFixed(1)} ms`,
  ].join(", ");
}
