import { command } from "../../command.ts";
import { asPerson, personFlags, revokedKeysText, revokeKeysFlag } from "../../session/sign-in.ts";

export default command({
  summary: "Sign out everywhere",
  description: "Ends all your sessions. API keys keep working unless you give --revoke-keys.",
  examples: ["<%= config.bin %> account sign-out --email ada@example.com"],
  flags: { ...personFlags(), "revoke-keys": revokeKeysFlag() },
  run: (invocation) =>
    asPerson(invocation, async ({ client }, { user }) => {
      const { revoked_keys } = await client.accounts.revokeSessions({ revoke_keys: invocation.flags["revoke-keys"] });
      return { signedOut: user.email, revokedKeys: revoked_keys };
    }),
  show: ({ signedOut, revokedKeys }) => `${signedOut} is signed out everywhere.${revokedKeysText(revokedKeys)}`,
});
