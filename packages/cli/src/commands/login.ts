import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { API_KEY, resolveTarget } from "../target.ts";
import { prepareProfiles, profileFile, profileName, saveProfile } from "../profile.ts";
import { askSecret } from "../prompt.ts";
import { askPassword, savedProfileText, signInAndSaveKeys } from "../sign-in.ts";

export default command({
  summary: "Save an API key in the profile",
  description:
    "Reads an API key from a hidden prompt or from standard input, checks it, and saves it with the address of the service. With --email, signs in with your password and creates new keys.",
  examples: [
    "<%= config.bin %> login --url https://voice.example.com",
    "<%= config.bin %> login < key.txt",
    "<%= config.bin %> login --email ada@example.com",
  ],
  flags: { email: Flags.string({ description: "Sign in with this e-mail address and a password." }) },
  async run(invocation) {
    const { email, profile } = invocation.flags;
    if (email !== undefined) {
      const password = await askPassword(1);
      return signInAndSaveKeys(invocation, (client) => client.accounts.signIn({ email, password }));
    }
    const name = profileName(profile);
    await prepareProfiles();
    const target = await resolveTarget(invocation.flags, { key: "none", newProfile: true });
    const apiKey = await askSecret(`API key for ${target.url}`, (key) =>
      API_KEY.test(key) ? undefined : "An API key is svc_sk_ and 43 characters.",
    );
    const { client, url } = await invocation.startSession({ target: { ...target, apiKey, keyFrom: "your input" } });
    const { projects } = await client.projects.list({ pageSize: 200 });
    await saveProfile(name, { url, apiKey });
    return { profile: name, file: profileFile(), url, projects: projects.map(({ id, name }) => ({ id, name })) };
  },
  show: (saved) =>
    "keys" in saved
      ? savedProfileText(saved)
      : `The key can read ${saved.projects.map(({ name }) => `"${name}"`).join(", ")} at ${saved.url}. It is saved in the profile "${saved.profile}" (${saved.file}).`,
});
