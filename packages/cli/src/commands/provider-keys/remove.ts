import { argument, command, yesFlag } from "../../command.ts";

export default command({
  description: "Removes a speech provider's key, with the voices that it listed. Asks first.",
  examples: ["<%= config.bin %> provider-keys remove cartesia --yes"],
  args: { id: argument("The provider, from `svc provider-keys list`.") },
  flags: { yes: yesFlag() },
  async run({ args: { id: provider }, connect, confirm }) {
    const { client } = await connect();
    await confirm(`Remove the key of ${provider}?`);
    await client.providerKeys.delete({ provider });
    return { removed: provider };
  },
  show: ({ removed }) => `Removed the key of ${removed}.`,
});
