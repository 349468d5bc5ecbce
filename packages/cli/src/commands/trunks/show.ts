import { trunkText } from "../../agents/trunk-text.ts";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Show a trunk: its allow-list and its limits",
  examples: ["<%= config.bin %> trunks show Carrier"],
  args: { trunk: argument("Id or exact name of the trunk.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const trunkId = await idOf(session, "trunk", args.trunk);
    return (await session.client.trunks.get({ trunkId, projectId: session.projectId })).trunk;
  },
  show: trunkText,
});
