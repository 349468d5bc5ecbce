import { Flags } from "@oclif/core";
import { LIMITS } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { paint } from "../../terminal/output.ts";
import { recordingFlags, useRecording } from "../../recordings/recording.ts";
import { measureRows } from "../../traces/measure-rows.ts";
import { qualityCard } from "../../traces/quality-card.ts";
import { spanLines } from "../../traces/span-lines.ts";
import { transcript } from "../../traces/transcript.ts";

/** Milliseconds that the request may take in addition to the wait of `--wait`. */
const ANSWER_MS = 30_000;
const NOT_UP_TO_DATE = "The service has not read all spans yet that were sent before. Ask again, or wait longer.";

export default command({
  summary: "Show a conversation with its transcript and measures",
  description:
    "Prints the transcript, the measures and the data quality. Times are minutes and seconds since the start. → marks a tool call and ← its result. ✗ marks a failed call to a model. An answer that failed or was discarded before the user heard it is marked, and so are words that an interruption cut off. When several agents speak, each turn names its agent. The value of a measure is the mean of its samples, or their sum for counts. `4 of 6` means that two of six samples are unknown.",
  examples: [
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a",
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a --spans",
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a --wait 10",
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a --play",
  ],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  flags: {
    spans: Flags.boolean({ description: "Print the tree of spans too." }),
    wait: Flags.integer({
      description:
        "Wait until the service has read all spans that were sent before, for at most this number of seconds (30 or less).",
      min: 0,
      max: LIMITS.traceWaitSeconds,
      helpValue: "<seconds>",
    }),
    ...recordingFlags(),
  },
  async run({ args, flags, startSession, note }) {
    const { client, projectId } = await startSession();
    const { wait } = flags;
    const timeoutMs = wait === undefined ? undefined : wait * 1000 + ANSWER_MS;
    const input = { traceId: args.id, projectId };
    const trace = await client.traces.get({ ...input, wait }, { timeoutMs });
    const summary = () => client.recordings.ofConversation(input);
    await useRecording(flags, { summary, audio: () => client.recordings.audioOfConversation(input) }, note);
    return trace;
  },
  show: (trace, { flags }) =>
    [
      ...(trace.upToDate === false ? [paint.dim(NOT_UP_TO_DATE)] : []),
      transcript(trace),
      measureRows(trace.measures),
      `${paint.dim("DATA QUALITY")}\n${qualityCard(trace)}`,
      ...(flags.spans ? [spanLines(trace)] : []),
    ].join("\n\n"),
});
