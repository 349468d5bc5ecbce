import type { Answer, Operations } from "@svc/contract";
import { command } from "../../command.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

type ListedKey = Pick<Answer<Operations["keys"]["list"]>["keys"][number], "expires_at" | "revoked_at">;

export default command({
  summary: "List API keys",
  description:
    "Admins see all keys of the organization. Other members see the keys that they created. A project key sees the keys of its project. Your own key needs the permission admin.",
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
        { title: "may", cell: ({ permissions }) => permissions.join(", ") },
        { title: "scope", cell: ({ scope }) => scope, spare: 1 },
        { title: "created", cell: ({ created_at }) => ago(created_at), spare: 4 },
        { title: "last used", cell: ({ last_used_at }) => (last_used_at ? ago(last_used_at) : "never"), spare: 2 },
        { title: "from", cell: ({ last_used_address }) => last_used_address ?? "", spare: 3 },
        { title: "state", cell: stateOf },
        wholeIdColumn,
      ],
      "Your key can read no API keys. To create one for a worker: svc keys create --name worker --permissions ingest --project NAME",
    ),
});

function stateOf({ expires_at, revoked_at }: ListedKey): string {
  if (revoked_at !== null) return "revoked";
  if (expires_at === null) return "active";
  return Date.parse(expires_at) <= Date.now() ? "expired" : `until ${expires_at.slice(0, 10)}`;
}
