import { command } from "../../command.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List API keys",
  description:
    "Admins see all keys of the organization. Other members see the keys that they created. A project key sees the keys of its project.",
  examples: ["<%= config.bin %> keys list", "<%= config.bin %> keys list --json"],
  async run({ startSession }) {
    const { client } = await startSession();
    return { items: (await client.keys.list()).keys, more: false };
  },
  show: ({ items }) =>
    table(
      items,
      [
        { title: "name", cell: ({ name }) => name ?? "", cut: true },
        { title: "key", cell: ({ looks_like }) => looks_like },
        { title: "scope", cell: ({ scope }) => scope, spare: 1 },
        { title: "created", cell: ({ created_at }) => ago(created_at), spare: 3 },
        { title: "last used", cell: ({ last_used_at }) => (last_used_at ? ago(last_used_at) : "never"), spare: 2 },
        { title: "state", cell: ({ revoked_at }) => (revoked_at ? "revoked" : "active") },
        wholeIdColumn,
      ],
      "Your key can read no API keys. To create one: svc keys create --name laptop",
    ),
});
