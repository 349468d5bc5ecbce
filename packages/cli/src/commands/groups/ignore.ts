import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { editedText } from "../../groups/group-text.ts";

export default command({
  summary: "Say that a failure group does not matter",
  description: "The group stays ignored, whatever fails later. `svc groups reopen` opens it again.",
  examples: ["<%= config.bin %> groups ignore grp_01k7m2x3v4e5f6g7h8j9k0m1n2"],
  args: { group: argument("Id of the group, from `svc groups list`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.groups.edit({ groupId: args.group, projectId, state: "ignored" })).group;
  },
  show: (group) => editedText("Ignored", group),
});
