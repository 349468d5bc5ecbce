import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { spanLines } from "../../traces/span-lines.ts";
import { transcript } from "../../traces/transcript.ts";

export default command({
  description: "Times are minutes and seconds since the start. → is a tool call, ← is its result.",
  examples: [
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a",
    "<%= config.bin %> traces show e87a0e1465e1d06e8d979e00fd1fec2a --spans",
  ],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  flags: { spans: Flags.boolean({ description: "Print the tree of spans after the transcript." }) },
  async run({ args, connect }) {
    const { client, project: projectId } = await connect();
    return client.traces.get({ traceId: args.id, projectId });
  },
  show: (trace, { flags }) => (flags.spans ? `${transcript(trace)}\n\n${spanLines(trace)}` : transcript(trace)),
});
