import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";

export default command({
  summary: "Remove the key of a speech provider",
  description: "Removes the key and the voices that the service listed with it. Asks for confirmation.",
  examples: ["<%= config.bin %> provider-keys remove cartesia --yes"],
  args: { id: argument("Provider, from `svc provider-keys list`.") },
  flags: { yes: yesFlag() },
  async run({ args: { id: provider }, startSession, confirm }) {
    const { client } = await startSession();
    await confirm(`Remove the key of ${provider}?`);
    await client.providerKeys.delete({ provider });
    return { removed: provider };
  },
  show: ({ removed }) => `Removed the key of ${removed}.`,
});
