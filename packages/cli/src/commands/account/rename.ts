import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { asPerson, personFlags } from "../../session/sign-in.ts";

export default command({
  summary: "Change your name",
  description: "All your organizations show the name.",
  examples: ['<%= config.bin %> account rename "Ada Byron" --email ada@example.com'],
  args: { name: argument("The new name.") },
  flags: personFlags(),
  run: (invocation) =>
    asPerson(invocation, async ({ client }) => {
      const { user } = await client.accounts.editUser({ name: invocation.args.name });
      return { user };
    }),
  show: ({ user }) => `The name of ${user.email} is ${user.name}.`,
});
