import type { EndingReason } from "@svc/contract";
import type { SignallingStep } from "./call-steps.ts";
import type { SurroundingsKind } from "../audio/surroundings/surroundings.ts";

/** The encoding of the sound on a media stream, in both directions. */
export type Codec = "mulaw_8k" | "pcm_16k";

/** How a media process reaches the agent. */
export type LineOrder =
  | {
      kind: "media_stream";
      url: string;
      headers: Record<string, string>;
      codec: Codec;
      privateAddresses: "allow" | "refuse";
      /** Values that the agent receives with the start of the stream. */
      parameters: Record<string, string>;
    }
  | {
      kind: "room";
      url: string;
      /** Lets the caller join the room. */
      token: string;
      /** Folders in which the package for rooms may be installed. */
      packageFolders: string[];
      privateAddresses: "allow" | "refuse";
    }
  | {
      kind: "sip";
      /** The `sip:` URI that is called. */
      uri: string;
      /** The `sip:` URI of the proxy that gets the call. */
      outboundProxy: string | undefined;
      /** The `sip:` URI of the account under which the service registers before it calls. */
      account: string | undefined;
      /** Answers the challenges of the other side. */
      credential: { user: string; password: string } | undefined;
      /** Headers of the INVITE that the agent receives. */
      headers: Record<string, string>;
      privateAddresses: "allow" | "refuse";
    };

/** The sounds around the caller: `snrDb` is the level of the caller's speech over the noise. */
export type Surroundings = { kind: SurroundingsKind; snrDb: number };

/** How the caller takes turns. */
export type TurnTaking = {
  /** Silence of the agent after which its turn has ended. */
  endOfTurnMs: number;
  /** Silence of both parties after which the caller asks whether the agent is still there. */
  patienceMs: number;
  /**
   * How long the agent speaks before the caller starts to talk over it; null: never. One entry for each turn of the agent; after
   * the last entry, the first follows again.
   */
  interruptAfterMs: (number | null)[];
};

/** The order for one call, from the service to a media process. */
export type CallOrder = {
  callId: string;
  line: LineOrder;
  turnTaking: TurnTaking;
  surroundings: Surroundings | null;
  /** The file for the stereo recording: the caller left, the agent right. */
  recordingFile: string;
  /** Whether `agent_stopped` carries the agent's sound, for a recognizer. */
  sendsAgentSound: boolean;
  /** The same seed gives the same noise. */
  seed: string;
};

/** An event of a call. Times are milliseconds since the first frame of the call. */
export type CallEvent =
  /** The caller has joined a room, and no agent has answered yet. */
  | { kind: "waits_for_agent" }
  | { kind: "connected"; startedAtMs: number }
  | { kind: "agent_started"; atMs: number }
  | ({ kind: "agent_stopped" } & AgentStopped)
  /** The caller may start to talk over the agent now. */
  | { kind: "may_interrupt"; atMs: number }
  | { kind: "patience_ended"; atMs: number }
  | { kind: "said"; startedMs: number; endedMs: number }
  /** The next part of the agent's words, from the line's own transcription. */
  | { kind: "words"; text: string }
  | CallEnd;

/** Speech of the agent that has ended, with its sound when the order asks for it. */
export type AgentStopped = { startedMs: number; atMs: number; sound: Int16Array | null };

/**
 * The end of a call. `isOurFault`: this service or its media process spoilt the call, which therefore says nothing about the
 * agent.
 */
export type CallEnd = {
  kind: "ended";
  reason: EndingReason;
  note: string | null;
  isOurFault: boolean;
  /** The agent's speech that the end of the call cut off; null when the agent did not speak. */
  cutOff: AgentStopped | null;
  /** Null when the media process ended before it could analyse the call. */
  summary: CallSummary | null;
  /** The code of the error that the recorder met, such as `ENOSPC`; null without one. */
  recordingError: string | null;
  /** The facts of a line with signalling, also when the call never connected; null for others. */
  line: LineFacts | null;
};

/** An ended call, with the file of its recording. */
export type CallOutcome = {
  summary: CallSummary | null;
  recordingFile: string;
  /** The time of the first frame, in Unix milliseconds; null when the call never connected. */
  startedAtMs: number | null;
  /** The code of the error that the recorder met, or null. */
  recordingError: string | null;
  line: LineFacts | null;
};

/** A longer gap between two frames makes the times of a call unreliable. */
export const RELIABLE_GAP_MS = 60;

/** The facts of an ended call. */
export type CallSummary = {
  /** The time of the first frame, in Unix milliseconds. */
  startedAtMs: number;
  durationMs: number;
  /** The longest time between two frames of the media process. */
  frameGapMaxMs: number;
  /** Whether no gap is longer than `RELIABLE_GAP_MS`. */
  isTimingReliable: boolean;
  /** Null when the recording could not be analysed. */
  heard: HeardCall | null;
};

/**
 * The packets of one direction of a call. Null means unknown: only the other side knows what happened to the packets that we
 * sent.
 */
export type PacketCounts = {
  packets: number;
  lost: number | null;
  /** Packets that arrived too late to be heard. */
  late: number | null;
  /** The mean of the interarrival jitter of RFC 3550. */
  jitterMs: number | null;
  jitterMaxMs: number | null;
};

/** The facts of a call's signalling and packets. */
export type LineFacts = {
  steps: SignallingStep[];
  /** The encoding of the sound that is sent; null before the sides agreed on one. */
  codec: string | null;
  /** Packets of the agent; null without one. */
  received: PacketCounts | null;
  /** Packets of the caller; null without one. */
  sent: PacketCounts | null;
  roundTripMs: number | null;
  /** The mean opinion score that is estimated from the received packets. */
  estimatedMos: number | null;
};

/** A stretch of speech on one side of a recording, in milliseconds since its start. */
export type SpeechSegment = { startMs: number; endMs: number };

/** One side of a recording. Levels are decibels below full scale. */
export type HeardParty = {
  segments: SpeechSegment[];
  /** Whether noise makes it unclear where this side speaks; it then has no segments. */
  isUnclear: boolean;
  /** Mean level of the speech; null without speech. */
  speechDbfs: number | null;
  floorDbfs: number;
  clippedSamples: number;
};

/**
 * The measures of a call's stereo recording. When a side is unclear, the turn-taking is unknown and its members are empty or
 * null.
 */
export type HeardCall = {
  durationMs: number;
  caller: HeardParty;
  agent: HeardParty;
  /** Time from the start of the recording to the agent's first sound; null when the agent made none. */
  firstSoundMs: number | null;
  /** The agent's first speech after each turn of the caller; `responseMs` is negative when the agent starts too early. */
  answers: { callerEndMs: number; agentStartMs: number; responseMs: number }[];
  /** Each time the caller talks over the agent; `yieldMs` is null when the agent spoke on until its turn was over. */
  interruptions: { atMs: number; yieldMs: number | null; keptSpeakingMs: number }[];
  overlapMs: number;
  /** Gaps of 2 seconds or more in which neither party speaks and the caller waits for the agent. */
  deadAir: SpeechSegment[];
};

/** The sound of one call as its line carries it, inside a media process. Frames have `FRAME_SAMPLES` samples at `CALL_RATE`. */
export type MediaLine = {
  /** Resolves when frames can be sent. Rejects with a `CallFailure`. */
  connect: (signal: AbortSignal) => Promise<void>;
  /** Sends a frame of the caller. */
  send: (frame: Int16Array) => void;
  /** Returns the frame of the agent that a caller hears now; silence when there is no sound. */
  hear: () => Int16Array;
  /** Ends the call at the agent. Never throws. */
  close: () => Promise<void>;
  /** Returns the facts of the signalling and the packets so far; a line without signalling has none. */
  facts?: () => LineFacts;
};

/** The events of a line; a media process passes them on. */
export type MediaLineEvents = {
  /** The caller has joined a room, and no agent has answered yet. */
  waitsForAgent: () => void;
  /** The next part of the agent's words, from the line's own transcription. */
  words: (text: string) => void;
  /** The other side ended the call, or broke it. */
  ended: (reason: EndingReason, note: string | null) => void;
};

/** A failure that ends a call; its reason says which side caused it. */
export class CallFailure extends Error {
  readonly reason: EndingReason;

  constructor(reason: EndingReason, message: string) {
    super(message);
    this.name = "CallFailure";
    this.reason = reason;
  }
}
