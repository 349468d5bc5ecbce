import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { counted } from "../../terminal/output.ts";

const POLL_MS = 1_000;

export default command({
  summary: "Derive the turns and measures of stored conversations again",
  description:
    "Use this command after an update of svc that derives more from spans than before. Each conversation keeps its old turns and measures until the new ones are ready. Ctrl-C ends the wait, and the service continues.",
  examples: ["<%= config.bin %> traces remap", "<%= config.bin %> traces remap --all"],
  flags: {
    all: Flags.boolean({
      description: "Include every conversation, not only those whose turns an older version of svc derived.",
    }),
    wait: Flags.boolean({ description: "Wait until all conversations are done.", allowNo: true, default: true }),
  },
  async run({ startSession, flags, progress }) {
    const { client, projectId } = await startSession();
    const first = await client.traces.remap({ projectId, all: flags.all === true });
    let { remaining } = first;
    while (remaining > 0 && flags.wait === true) {
      progress.now(
        `Derived ${Math.max(0, first.remaining - remaining)} of ${counted(first.remaining, "conversation")}…`,
      );
      await delay(POLL_MS);
      ({ remaining } = await client.traces.remap({ projectId }));
    }
    return { mappingVersion: first.mappingVersion, conversations: first.remaining, remaining };
  },
  show: ({ mappingVersion, conversations, remaining }) => {
    if (conversations === 0)
      return `Nothing to do: version ${mappingVersion} of the mapping has derived every conversation.`;
    if (remaining > 0) return `The service will derive ${counted(remaining, "conversation")} again.`;
    return `Derived ${counted(conversations, "conversation")} again with version ${mappingVersion} of the mapping.`;
  },
});
