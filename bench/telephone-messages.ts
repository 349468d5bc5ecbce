export const CODECS = { PCMU: 0, PCMA: 8, G722: 9 } as const;
export const LOSSES = [0, 2, 5] as const;
export type Codec = keyof typeof CODECS;

/** The time of the call at which an agent begins to play its sound, in milliseconds. */
export const PLAYS_FROM_MS = 2_000;

/** The user of the SIP agent that plays the sound, in an encoding and with this share of its packets lost, in percent. */
export const playsOver = (codec: Codec, loss: number) => `plays-${codec}-${loss}`;

export type ToAgents = { kind: "open"; count: number } | { kind: "sound"; samples: Int16Array } | { kind: "report" };
export type Delays = { sentMs: number[]; heardMs: number[] };
/** `gapMaxMs`: the longest time between two packets of one caller since the last report. */
export type Report = {
  sip: Delays;
  stream: Delays;
  gapMaxMs: number;
  gapsOver60: number;
  packets: number;
  byes: number;
  ownGapMs: number;
};
export type FromAgents = { kind: "open"; sip: string[]; stream: string } | ({ kind: "report" } & Report) | "ready";

/** Milliseconds of a clock that all processes of the machine share. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
