import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { counted } from "../../terminal/output.ts";
import { askNewPassword, asPerson, personFlags, revokedKeysText, revokeKeysFlag } from "../../session/sign-in.ts";

export default command({
  summary: "Change your password",
  description:
    "The passwords come from hidden prompts, or from SVC_PASSWORD and SVC_NEW_PASSWORD. API keys keep working unless you give --revoke-keys.",
  examples: ["<%= config.bin %> account password --email ada@example.com"],
  flags: {
    ...personFlags(),
    "sign-out": Flags.boolean({ description: "End your other sessions too." }),
    "revoke-keys": revokeKeysFlag(),
  },
  run: (invocation) =>
    asPerson(invocation, async ({ client }, { user }, current_password) => {
      const new_password = await askNewPassword();
      const revoke_other_sessions = invocation.flags["sign-out"] === true;
      const { other_sessions, revoked_keys } = await client.accounts.changePassword({
        current_password,
        new_password,
        revoke_other_sessions,
        revoke_keys: invocation.flags["revoke-keys"],
      });
      return { changed: user.email, otherSessions: other_sessions, revokedKeys: revoked_keys };
    }),
  show: ({ changed, otherSessions, revokedKeys }) =>
    [
      `Changed the password of ${changed}.${revokedKeysText(revokedKeys)}`,
      ...(otherSessions > 0
        ? [`${counted(otherSessions, "other session")} of yours go on. To end them: svc account sign-out`]
        : []),
    ].join("\n"),
});
