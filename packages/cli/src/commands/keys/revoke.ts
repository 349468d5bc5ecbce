import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { moment } from "../../terminal/times.ts";

export default command({
  summary: "Revoke an API key",
  description: "The service rejects the next request with the key. Revoking a key again changes nothing.",
  examples: ["<%= config.bin %> keys revoke key_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the key, from `svc keys list`.") },
  async run({ args, startSession }) {
    const { client } = await startSession();
    return client.keys.revoke({ apiKeyId: args.id });
  },
  show: ({ id, looks_like, revoked_at }) => `Revoked ${id} (${looks_like}) at ${moment(revoked_at ?? "")}.`,
});
