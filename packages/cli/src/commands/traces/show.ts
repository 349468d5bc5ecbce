import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { paint } from "../../output.ts";
import { measureRows } from "../../traces/measure-rows.ts";
import { qualityCard } from "../../traces/quality-card.ts";
import { spanLines } from "../../traces/span-lines.ts";
import { transcript } from "../../traces/transcript.ts";

export default command({
  description:
    "What was said and done, its measures, and how far its spans can be trusted. Times are minutes and seconds since the start; → is a tool call, ← is its result. A measure's value is the mean, or the sum of what is counted; `4 of 6` stands where two are not known.",
  examples: [
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a",
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a --spans",
  ],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  flags: { spans: Flags.boolean({ description: "Print the tree of spans too." }) },
  async run({ args, connect }) {
    const { client, project: projectId } = await connect();
    return client.traces.get({ traceId: args.id, projectId });
  },
  show: (trace, { flags }) =>
    [
      transcript(trace),
      measureRows(trace.measures),
      `${paint.dim("DATA QUALITY")}\n${qualityCard(trace)}`,
      ...(flags.spans ? [spanLines(trace)] : []),
    ].join("\n\n"),
});
