import { command } from "../../command.ts";
import { table } from "../../output.ts";
import { ago } from "../../times.ts";

export default command({
  description: "Keys of speech providers, by their last four characters. Needs an organization-wide key of an admin.",
  examples: ["<%= config.bin %> provider-keys list"],
  async run({ connect }) {
    const { client } = await connect();
    return { items: (await client.providerKeys.list()).providerKeys, more: false };
  },
  show: ({ items }) =>
    table(
      items,
      [
        { title: "provider", cell: ({ provider }) => provider },
        { title: "key", cell: ({ hint }) => `…${hint}` },
        { title: "region", cell: ({ region }) => region ?? "" },
        { title: "set", cell: ({ updatedAt }) => ago(updatedAt) },
      ],
      "No provider keys. Set one, and the voices of its account can be chosen: svc provider-keys set cartesia",
    ),
});
