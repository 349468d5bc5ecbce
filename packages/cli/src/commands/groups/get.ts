import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { groupText } from "../../groups/group-text.ts";
import { pageSizeFor, take } from "../../terminal/list.ts";

const SHOWN = 10;

export default command({
  summary: "Show a failure group and its newest conversations",
  examples: ["<%= config.bin %> groups get grp_01k7m2x3v4e5f6g7h8j9k0m1n2"],
  args: { group: argument("Id of the group, from `svc groups list`.") },
  async run({ args, startSession }) {
    const { client, projectId, pages } = await startSession();
    const { group } = await client.groups.get({ groupId: args.group, projectId });
    const members = pages(client.groups.members, { groupId: group.id, projectId, pageSize: pageSizeFor(SHOWN) });
    return { group, members: (await take(members, SHOWN)).items };
  },
  show: ({ group, members }) => groupText(group, members),
});
