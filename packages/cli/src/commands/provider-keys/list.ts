import { command } from "../../command.ts";
import { table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List the keys of speech providers",
  description: "Shows the last four characters of each key. Needs an organization key of an admin.",
  examples: ["<%= config.bin %> provider-keys list"],
  async run({ startSession }) {
    const { client } = await startSession();
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
      "No provider keys. Personas can use the voices of your account when the service has its key. To set one: svc provider-keys set cartesia",
    ),
});
