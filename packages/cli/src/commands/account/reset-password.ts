import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { askNewPassword, askToken, revokedKeysText, revokeKeysFlag } from "../../session/sign-in.ts";

export default command({
  summary: "Set a new password with a one-time token, or ask for the token by mail",
  description:
    "Reads the token from a hidden prompt or standard input, and the new password from a hidden prompt or SVC_NEW_PASSWORD. With --request, asks the service to send a token to your address.",
  examples: [
    "<%= config.bin %> account reset-password --request ada@example.com",
    "<%= config.bin %> account reset-password < token.txt",
  ],
  flags: {
    request: Flags.string({ description: "Send a token to this e-mail address.", helpValue: "<address>" }),
    "revoke-keys": revokeKeysFlag(),
  },
  async run({ flags, startSession }) {
    const { request: email } = flags;
    const { client } = await startSession({ key: "none", newProfile: true });
    if (email !== undefined) {
      await client.accounts.requestPasswordReset({ email });
      return { requested: email, revokedKeys: 0 };
    }
    const token = await askToken("One-time token");
    const { revoked_keys } = await client.accounts.resetPassword({
      token,
      new_password: await askNewPassword(),
      revoke_keys: flags["revoke-keys"],
    });
    return { requested: null, revokedKeys: revoked_keys };
  },
  show: ({ requested, revokedKeys }) =>
    requested === null
      ? `Saved the new password. All your sessions ended.${revokedKeysText(revokedKeys)} Sign in with \`svc login --email YOUR-ADDRESS\`.`
      : `If ${requested} has an account, the service sends a token to it. Then run \`svc account reset-password\`.`,
});
