import type { EndingReason, LineCondition } from "@svc/contract";
import type { SignallingStep } from "./call-steps.ts";
import type { NetworkCounts } from "./lines/packet-network.ts";
import type { SurroundingsKind } from "../audio/surroundings/surroundings.ts";

export type Codec = "mulaw_8k" | "pcm_16k";

export type LineOrder =
  | {
      kind: "media_stream";
      url: string;
      headers: Record<string, string>;
      codec: Codec;
      privateAddresses: "allow" | "refuse";
      /** Values that the agent receives in the message that starts the stream. */
      parameters: Record<string, string>;
    }
  | {
      kind: "room";
      url: string;
      token: string;
      packageFolders: string[];
      privateAddresses: "allow" | "refuse";
    }
  | {
      kind: "sip";
      uri: string;
      transport: "udp" | "tcp" | "tls";
      outboundProxy: string | undefined;
      /** `sip:` URI of the account under which the service registers before the call; undefined when it does not register. */
      account: string | undefined;
      /** `sip:` URI that the other side sees as the caller; undefined for the account or the address of this machine. */
      caller: string | undefined;
      /** Longest time from the answer to the end of the call, in seconds; undefined without a limit. */
      maxSeconds: number | undefined;
      credential: { user: string; password: string } | undefined;
      /** Additional headers of the INVITE. */
      headers: Record<string, string>;
      privateAddresses: "allow" | "refuse";
    }
  | {
      kind: "incoming_call";
      simulationId: string;
      /** `sip:` URI of the account under which the service registers and waits. */
      account: string;
      transport: "udp" | "tcp" | "tls";
      outboundProxy: string | undefined;
      credential: { user: string; password: string } | undefined;
      /** Numbers and users that may call. */
      callers: string;
      matching: "account" | "header";
      waitSeconds: number;
      /** Additional headers of the response that takes the call. */
      headers: Record<string, string>;
      privateAddresses: "allow" | "refuse";
    };

/** Background noise of the caller. `snrDb` is how many decibels louder than the noise the caller speaks. */
export type Surroundings = { kind: SurroundingsKind; snrDb: number };

export type TurnTaking = {
  /** Silence after which the agent's turn has ended, in milliseconds. */
  endOfTurnMs: number;
  /** Silence of both parties after which the caller asks whether the agent is still there, in milliseconds. */
  patienceMs: number;
  /**
   * For each turn of the agent, the time in milliseconds for which the agent speaks before the caller interrupts; null when the caller does
   * not interrupt. After its last entry, the list starts again.
   */
  interruptAfterMs: (number | null)[];
};

export type CallOrder = {
  callId: string;
  line: LineOrder;
  turnTaking: TurnTaking;
  surroundings: Surroundings | null;
  condition: LineCondition;
  /** Path of the stereo recording: the caller on the left channel, the agent on the right. */
  recordingFile: string;
  /** Whether the event `agent_stopped` includes the agent's sound, so that a speech recognizer can transcribe it. */
  sendsAgentSound: boolean;
  /** Seed of the background noise and of the line's condition. */
  seed: string;
};

/** Times are milliseconds since the first frame of the call. */
export type CallEvent =
  /** The caller has joined a room or the agent's phone rings, and no agent has answered yet. */
  | { kind: "waits_for_agent" }
  | { kind: "connected"; startedAtMs: number }
  | { kind: "agent_started"; atMs: number }
  | ({ kind: "agent_stopped" } & AgentStopped)
  /** The caller may now start to talk over the agent. */
  | { kind: "may_interrupt"; atMs: number }
  | { kind: "patience_ended"; atMs: number }
  | { kind: "said"; startedMs: number; endedMs: number }
  /** The agent pressed keys of the telephone, and then none for some time. */
  | { kind: "pressed"; keys: string; startedMs: number; endedMs: number }
  /** The next part of the agent's words. The agent or its platform transcribed them. */
  | { kind: "words"; text: string }
  | CallEnd;

/** A turn of the agent that ended. `sound` is null when the order of the call does not ask for the sound. */
export type AgentStopped = { startedMs: number; atMs: number; sound: Int16Array | null };

/** `isOurFault`: this service or its media process caused the call to fail. The call is then no evidence about the agent. */
export type CallEnd = {
  kind: "ended";
  reason: EndingReason;
  note: string | null;
  isOurFault: boolean;
  /** The agent's speech that the end of the call cut off; null when the agent was not speaking. */
  cutOff: AgentStopped | null;
  /** Null when the call never connected, or when the media process ended before it analyzed the call. */
  summary: CallSummary | null;
  /** Code of the recorder's error, such as `ENOSPC`; null without an error. */
  recordingError: string | null;
  /**
   * Steps of the signalling and counts of packets, even for a call that never connected; null for a kind of connection without signalling.
   */
  line: LineFacts | null;
};

export type CallOutcome = {
  summary: CallSummary | null;
  recordingFile: string;
  /** The time of the first frame, in Unix milliseconds; null when the call never connected. */
  startedAtMs: number | null;
  recordingError: string | null;
  line: LineFacts | null;
};

/** Longest gap between two frames for which the times of a call are reliable, in milliseconds. */
export const RELIABLE_GAP_MS = 60;

export type CallSummary = {
  /** The time of the first frame, in Unix milliseconds. */
  startedAtMs: number;
  durationMs: number;
  frameGapMaxMs: number;
  isTimingReliable: boolean;
  /** Null when the recording could not be analyzed. */
  heard: HeardCall | null;
};

/**
 * Counts of packets in one direction; null means unknown. Losses and jitter of sent packets are known only from the reports of the other
 * side.
 */
export type PacketCounts = {
  packets: number;
  lost: number | null;
  /** Packets that arrived too late to be played. */
  late: number | null;
  /** The mean of the interarrival jitter of RFC 3550. */
  jitterMs: number | null;
  jitterMaxMs: number | null;
};

export type LineFacts = {
  steps: SignallingStep[];
  /** Encoding of the sent sound; null before both sides have agreed on one. */
  codec: string | null;
  /** Packets from the agent; null when none arrived. */
  received: PacketCounts | null;
  /** Packets of the caller; null when none was sent. */
  sent: PacketCounts | null;
  roundTripMs: number | null;
  /** The bad condition that the service gave the line, with the packets that it lost; absent on a good line. */
  condition?: { name: LineCondition; toAgent: NetworkCounts; fromAgent: NetworkCounts };
  /** The mean opinion score, estimated from the received packets; null when unknown. */
  estimatedMos: number | null;
};

/** Stretch of speech on one side of a recording, in milliseconds since the start of the recording. */
export type SpeechSegment = { startMs: number; endMs: number };

export type HeardParty = {
  segments: SpeechSegment[];
  /** Whether noise makes it unclear when this side speaks. The side then has no segments. */
  isUnclear: boolean;
  /** Mean level of the speech; null without speech. */
  speechDbfs: number | null;
  floorDbfs: number;
  clippedSamples: number;
};

/** What the sound of a call shows. When noise makes one side unclear, the turn-taking is unknown, and its members are empty, null or 0. */
export type HeardCall = {
  durationMs: number;
  caller: HeardParty;
  agent: HeardParty;
  /** Milliseconds from the start of the recording to the agent's first sound; null when the agent made no sound. */
  firstSoundMs: number | null;
  /**
   * The agent's first speech after each turn of the caller. `responseMs` is negative when the agent starts before the caller has finished.
   */
  answers: { callerEndMs: number; agentStartMs: number; responseMs: number }[];
  /**
   * Interruptions of the agent by the caller. `yieldMs` is the time until the agent stopped; null when the agent did not stop because of
   * the caller.
   */
  interruptions: { atMs: number; yieldMs: number | null; keptSpeakingMs: number }[];
  overlapMs: number;
  /** Gaps of at least 2 seconds in which neither party speaks and the caller waits for the agent. */
  deadAir: SpeechSegment[];
};

/** The open connection to an agent in one call. Frames have `FRAME_SAMPLES` samples at `CALL_RATE`. */
export type MediaLine = {
  /** Resolves as soon as frames can be sent. Rejects with a `CallFailure`. */
  connect: (signal: AbortSignal) => Promise<void>;
  send: (frame: Int16Array) => void;
  /** Tells the other side of a key outside the sound, at the first frame of its tone. Absent where the tone alone tells it. */
  press?: (key: string) => void;
  /** Returns the agent's next frame in playing order; silence when no sound has arrived. */
  hear: () => Int16Array;
  /** Never throws. */
  close: () => Promise<void>;
  /** Returns the steps of the signalling and the counts of packets. Undefined for a kind of connection without signalling. */
  facts?: () => LineFacts;
};

export type MediaLineEvents = {
  waitsForAgent: () => void;
  words: (text: string) => void;
  /** The agent pressed a key of the telephone, and the line received the key outside the sound. */
  pressed: (key: string) => void;
  /** The other side ended the call, or the connection broke. */
  ended: (reason: EndingReason, note: string | null) => void;
};

export class CallFailure extends Error {
  readonly reason: EndingReason;

  constructor(reason: EndingReason, message: string) {
    super(message);
    this.name = "CallFailure";
    this.reason = reason;
  }
}
