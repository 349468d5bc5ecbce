import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { askText } from "../terminal/prompt.ts";
import { isSvcError, Refusal } from "../refusal.ts";
import { askPassword, savedProfileText, signInAndSaveKeys } from "../session/sign-in.ts";

const CLAIMED =
  "This instance already has an account. Sign in with `svc login --email ADDRESS`, or ask an admin for a key and run `svc login`.";

export default command({
  summary: "Create the first account of a new instance, with its keys",
  description:
    "The first account owns the instance. Creates a key of the organization and a key that sends conversations of its project, and saves both in the profile. The password comes from a hidden prompt, SVC_PASSWORD or standard input.",
  examples: [
    "<%= config.bin %> claim",
    '<%= config.bin %> claim --name "Ada Park" --email ada@example.com < password.txt',
  ],
  flags: {
    name: Flags.string({ description: "Your name." }),
    email: Flags.string({ description: "Your e-mail address." }),
  },
  async run(invocation) {
    // Without a service, the command fails here, before the user answers three questions.
    const { client } = await invocation.startSession({ key: "none", newProfile: true, retries: 0 });
    const { claimed, open_sign_up } = await client.instance.get();
    if (claimed && !open_sign_up) throw new Refusal("not_permitted", CLAIMED);
    invocation.progress.clear();
    const name = invocation.flags.name ?? (await askText("Your name", "--name"));
    const email = invocation.flags.email ?? (await askText("Your e-mail address", "--email"));
    const { LIMITS } = await import("@svc/sdk");
    const password = await askPassword(LIMITS.passwordCharactersMin);
    return signInAndSaveKeys(invocation, (client) => client.accounts.signUp({ name, email, password })).catch(
      (error) => {
        throw isSvcError(error) && error.code === "not_permitted" ? new Refusal(error.code, CLAIMED) : error;
      },
    );
  },
  show: (saved) => `${saved.user.name} owns "${saved.organization}" at ${saved.url}.

${savedProfileText(saved)}

Next:
${nextSteps(saved.project?.name ?? "…")}`,
});

function nextSteps(project: string): string {
  const steps = [
    ["svc doctor", "check the setup"],
    ["svc tests create", "write a test; --help shows its options"],
    [`svc keys create --permissions ingest --project "${project}"`, "create a key for a worker"],
  ];
  const width = Math.max(...steps.map(([command]) => command!.length));
  return steps.map(([command, purpose]) => `  ${command!.padEnd(width)}  ${purpose}`).join("\n");
}
