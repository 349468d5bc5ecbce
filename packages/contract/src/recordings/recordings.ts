import { z } from "zod";
import { audioAnswer } from "../core/audio-answer.ts";
import { idInput, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { RECORDING_PROBLEMS, type RecordingProblem } from "./problems.ts";

const problems = Object.entries(RECORDING_PROBLEMS).map(([problem, meaning]) => `\`${problem}\`: ${meaning}`);

/** Sound levels of a recording over time, for drawing its waveform. */
export const Waveform = z
  .strictObject({
    bucketMs: count("Length of a bucket in milliseconds. The last bucket may be shorter."),
    channels: z.array(
      z.strictObject({
        party: z
          .enum(["caller", "agent", "both"])
          .meta({ description: "The party on this channel; `both` for a recording that mixes the parties." }),
        peaks: z.array(z.number().int().min(0).max(1_000)).meta({
          description: "The highest level in each bucket, in thousandths of full scale; at most 2,000 buckets.",
        }),
      }),
    ),
  })
  .meta({ id: "Waveform", description: "The sound levels of a recording over time, for drawing its waveform." });
export type Waveform = z.infer<typeof Waveform>;

/** Recording of a conversation, or the reason why it is missing. */
export const Recording = z
  .strictObject({
    state: z.enum(["kept", "not_kept"]).meta({ description: "Whether the service has the recording." }),
    problem: z
      .enum(Object.keys(RECORDING_PROBLEMS) as [RecordingProblem, ...RecordingProblem[]])
      .nullable()
      .meta({ description: `Why the service has no recording; null when the service has it. ${problems.join(" ")}` }),
    message: z.string().nullable().meta({ description: "The meaning of `problem` for people." }),
    durationMs: count("Duration in milliseconds.").nullable(),
    bytes: count("Size of the WAV file in bytes.").nullable(),
    waveform: Waveform.nullable(),
    startedAt: timestamp().nullable().meta({
      description:
        "Start of the recording; null when the recording starts with its conversation, and when the service has no recording.",
    }),
    recordedAt: timestamp(),
  })
  .meta({ id: "Recording" });
export type Recording = z.infer<typeof Recording>;

const ofSimulation = {
  tag: "Recordings",
  resource: "simulation",
  params: z.strictObject({ simulationId: idInput("sim") }),
} as const;

const ofConversation = {
  tag: "Recordings",
  resource: "trace",
  params: z.strictObject({ traceId: z.string().min(1).meta({ description: "32 hexadecimal characters." }) }),
} as const;

const audio = {
  description:
    "A WAV file with 16-bit samples. The recording of a simulation is stereo at 16 kHz: the caller on the left channel, the agent on the right. The answer has an `ETag`, and a request may select a range of bytes. When the service does not have the recording, the answer is 404 `not_found`; the recording's summary gives the reason.",
  ...audioAnswer,
  audit: "read",
} as const;

const summary = {
  query: z.strictObject({ projectId }),
  answer: z.strictObject({
    recording: Recording.nullable().meta({ description: "Null when nobody tried to record the conversation." }),
  }),
} as const;

/** Recordings of conversations. */
export const recordings = {
  /**
   * Returns the recording of a simulation as a stream of WAV bytes: 16-bit, 16 kHz, the caller on the left channel, the agent on
   * the right. `range` selects bytes, such as `bytes=0-1023`.
   */
  audioOfSimulation: getOperation({
    ...ofSimulation,
    ...audio,
    path: "/v1/simulations/{simulationId}/recording",
    summary: "Play a simulation's recording",
  }),

  /** Returns the duration and the waveform of a simulation's recording, or the reason why it is missing. */
  ofSimulation: getOperation({
    ...ofSimulation,
    ...summary,
    path: "/v1/simulations/{simulationId}/recording/summary",
    summary: "Describe a simulation's recording",
  }),

  /**
   * Returns the recording of the conversation that contains the trace, as a stream of WAV bytes. `range` selects bytes, such as
   * `bytes=0-1023`.
   */
  audioOfConversation: getOperation({
    ...ofConversation,
    ...audio,
    path: "/v1/traces/{traceId}/recording",
    summary: "Play a conversation's recording",
  }),

  /**
   * Returns the duration and the waveform of the recording of the conversation that contains the trace, or the reason why the
   * recording is missing.
   */
  ofConversation: getOperation({
    ...ofConversation,
    ...summary,
    path: "/v1/traces/{traceId}/recording/summary",
    summary: "Describe a conversation's recording",
  }),
};
