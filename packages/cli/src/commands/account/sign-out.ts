import { command } from "../../command.ts";
import { asPerson, personFlags } from "../../session/sign-in.ts";

export default command({
  summary: "Sign out everywhere",
  description: "Ends all your sessions. API keys keep working; `svc keys revoke` revokes them.",
  examples: ["<%= config.bin %> account sign-out --email ada@example.com"],
  flags: personFlags(),
  run: (invocation) =>
    asPerson(invocation, async ({ client }, { user }) => {
      await client.accounts.revokeSessions();
      return { signedOut: user.email };
    }),
  show: ({ signedOut }) => `${signedOut} is signed out everywhere.`,
});
