import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { counted } from "../../output.ts";

const ASK_EVERY_MS = 1_000;

export default command({
  description:
    "Reads stored conversations again after an update that reads spans in a better way. They are shown as before until it is done, and breaking off stops nothing: the service goes on.",
  examples: ["<%= config.bin %> traces remap", "<%= config.bin %> traces remap --all"],
  flags: {
    all: Flags.boolean({ description: "Every conversation, not only those that an older version read." }),
    wait: Flags.boolean({ description: "Wait until it is done.", allowNo: true, default: true }),
  },
  async run({ connect, flags, progress }) {
    const { client, project: projectId } = await connect();
    const first = await client.traces.remap({ projectId, all: flags.all === true });
    let { remaining } = first;
    while (remaining > 0 && flags.wait === true) {
      progress.now(`Read ${Math.max(0, first.remaining - remaining)} of ${counted(first.remaining, "conversation")}…`);
      await delay(ASK_EVERY_MS);
      ({ remaining } = await client.traces.remap({ projectId }));
    }
    return { mappingVersion: first.mappingVersion, conversations: first.remaining, remaining };
  },
  show: ({ mappingVersion, conversations, remaining }) => {
    if (conversations === 0)
      return `Nothing to do: version ${mappingVersion} of the mapping has read every conversation.`;
    if (remaining > 0) return `${counted(remaining, "conversation")} wait to be read again.`;
    return `Read ${counted(conversations, "conversation")} again with version ${mappingVersion} of the mapping.`;
  },
});
