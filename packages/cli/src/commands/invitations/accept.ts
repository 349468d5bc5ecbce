import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { prepareProfiles, profileName } from "../../session/profile.ts";
import {
  askPassword,
  askToken,
  savedProfileText,
  saveNewKeys,
  signInWithCode,
  withSession,
} from "../../session/sign-in.ts";

export default command({
  summary: "Accept an invitation, and save its keys in the profile",
  description:
    "Reads the token from a hidden prompt or standard input. With --name, creates your account; without it, signs you in to the account of the invited address. The password comes from a hidden prompt or SVC_PASSWORD.",
  examples: [
    '<%= config.bin %> invitations accept --url https://voice.example.com --name "Ada Park"',
    "<%= config.bin %> invitations accept < token.txt",
  ],
  flags: {
    name: Flags.string({ description: "Your name; creates an account." }),
    "separate-account": Flags.boolean({
      description: "Create the account although another person's account has your address.",
      dependsOn: ["name"],
    }),
  },
  async run(invocation) {
    const { name, profile } = invocation.flags;
    const separate_account = invocation.flags["separate-account"] === true;
    profileName(profile);
    await prepareProfiles();
    const token = await askToken("Invitation token");
    const { client } = await invocation.startSession({ key: "none", newProfile: true });
    const { invitation } = await client.invitations.preview({ token });
    const { email, organization, role } = invitation;
    invocation.note(`You join "${organization.name}" as ${role} with the address ${email}.`);
    const { LIMITS } = await import("@svc/sdk");
    const password = await askPassword(name === undefined ? 1 : LIMITS.passwordCharactersMin);
    if (name !== undefined)
      return withSession(
        invocation,
        ({ accounts }) => accounts.signUp({ name, email, password, invitation_token: token, separate_account }),
        (session, account) => saveNewKeys(session, account, invocation.flags),
      );
    return withSession(
      invocation,
      (client) => signInWithCode(client, { email, password }),
      async (session) => {
        const joined = await session.client.invitations.accept({ token });
        const organization_id = joined.organization.id;
        const account = await session.client.accounts.switchOrganization({ organization_id });
        return saveNewKeys(session, account, invocation.flags);
      },
    );
  },
  show: (saved) => `You belong to "${saved.organization}".\n\n${savedProfileText(saved)}`,
});
