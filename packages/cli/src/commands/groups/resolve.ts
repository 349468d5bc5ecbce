import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { editedText } from "../../groups/group-text.ts";

export default command({
  summary: "Say that what made a failure group is mended",
  description:
    "A failure of a conversation that starts later opens the group again, and the event `group.regressed` says so.",
  examples: ["<%= config.bin %> groups resolve grp_01k7m2x3v4e5f6g7h8j9k0m1n2"],
  args: { group: argument("Id of the group, from `svc groups list`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.groups.edit({ groupId: args.group, projectId, state: "resolved" })).group;
  },
  show: (group) => editedText("Resolved", group),
});
