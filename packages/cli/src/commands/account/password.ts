import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { askNewPassword, asPerson, personFlags } from "../../session/sign-in.ts";

export default command({
  summary: "Change your password",
  description:
    "The passwords come from hidden prompts, or from SVC_PASSWORD and SVC_NEW_PASSWORD. API keys keep working.",
  examples: ["<%= config.bin %> account password --email ada@example.com"],
  flags: {
    ...personFlags(),
    "sign-out": Flags.boolean({ description: "End your other sessions too." }),
  },
  run: (invocation) =>
    asPerson(invocation, async ({ client }, { user }, current_password) => {
      const new_password = await askNewPassword();
      const revoke_other_sessions = invocation.flags["sign-out"] === true;
      await client.accounts.changePassword({ current_password, new_password, revoke_other_sessions });
      return { changed: user.email };
    }),
  show: ({ changed }) => `Changed the password of ${changed}.`,
});
