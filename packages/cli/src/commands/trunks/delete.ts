import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Delete a trunk",
  description:
    "Connections that name it stay, and cannot be called until they name another one. Asks for confirmation.",
  examples: ["<%= config.bin %> trunks delete Carrier --yes"],
  args: { trunk: argument("Id or exact name of the trunk.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const trunkId = await idOf(session, "trunk", invocation.args.trunk);
    const { trunk } = await client.trunks.get({ trunkId, projectId });
    await invocation.confirm(`Delete the trunk "${trunk.name}"?`);
    await client.trunks.delete({ trunkId, projectId });
    return { deleted: trunk };
  },
  show: ({ deleted }) => `Deleted the trunk "${deleted.name}" (${deleted.id}).`,
});
