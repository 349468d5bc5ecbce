import { command } from "../../command.ts";
import { yesFlag } from "../../flags.ts";

export default command({
  summary: "Remove the identity provider of the organization",
  description:
    "Sessions that the provider started end. Accounts stay; people without a password can set one by mail. Asks for confirmation.",
  examples: ["<%= config.bin %> single-sign-on remove --yes"],
  flags: { yes: yesFlag() },
  async run({ startSession, confirm }) {
    const { client } = await startSession();
    await confirm("Remove the identity provider? Sessions that it started end.");
    await client.singleSignOn.remove();
    return { removed: true };
  },
  show: () => "Removed the identity provider.",
});
