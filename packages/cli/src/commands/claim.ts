import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { askText } from "../prompt.ts";
import { isSvcError, Refusal } from "../refusal.ts";
import { askPassword, savedText, signInAndKeepKeys } from "../sign-in.ts";

const CLAIMED =
  "This instance is claimed already: sign in with `svc login --email ADDRESS`, or ask an admin for a key and run `svc login`.";

export default command({
  description:
    "The first account of an instance owns it. Makes it, with a key for the organization and one for its project, and saves both in the profile. The password comes from a hidden prompt, SVC_PASSWORD or standard input.",
  examples: [
    "<%= config.bin %> claim",
    '<%= config.bin %> claim --name "Ada Park" --email ada@example.com < password.txt',
  ],
  flags: {
    name: Flags.string({ description: "Your name." }),
    email: Flags.string({ description: "Your e-mail address." }),
  },
  async run(call) {
    const name = call.flags.name ?? (await askText("Your name", "--name"));
    const email = call.flags.email ?? (await askText("Your e-mail address", "--email"));
    const { LIMITS } = await import("@svc/sdk");
    const password = await askPassword(LIMITS.passwordCharactersMin);
    return signInAndKeepKeys(call, (client) => client.accounts.signUp({ name, email, password })).catch((error) => {
      throw isSvcError(error) && error.code === "not_permitted" ? new Refusal(error.code, CLAIMED) : error;
    });
  },
  show: (saved) => `${saved.user.name} owns "${saved.organization}" at ${saved.url}.

${savedText(saved)}

Next:
  svc doctor                                       check the set-up
  svc tests create --name … --scenario … --behavior …
  export SVC_API_KEY=$(svc keys create --project "${saved.project?.name ?? "…"}")   a key for a worker`,
});
