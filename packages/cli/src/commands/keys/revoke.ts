import { argument, command } from "../../command.ts";
import { moment } from "../../times.ts";

export default command({
  description: "The key stops working on its next request. Revoking it again changes nothing.",
  examples: ["<%= config.bin %> keys revoke key_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the key, from `svc keys list`.") },
  async run({ args, connect }) {
    const { client } = await connect();
    return client.keys.revoke({ apiKeyId: args.id });
  },
  show: ({ id, looks_like, revoked_at }) => `Revoked ${id} (${looks_like}) at ${moment(revoked_at ?? "")}.`,
});
