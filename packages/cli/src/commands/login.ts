import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { SECRET, targetOf } from "../connection.ts";
import { prepareProfiles, profileFile, profileName, saveProfile } from "../profile.ts";
import { askSecret } from "../prompt.ts";
import { askPassword, savedText, signInAndKeepKeys } from "../sign-in.ts";

export default command({
  description:
    "Asks for an API key at a hidden prompt, or takes it from standard input; checks it and saves it with the address. With --email, signs in with your password instead and makes new keys.",
  examples: [
    "<%= config.bin %> login --url https://voice.example.com",
    "<%= config.bin %> login < key.txt",
    "<%= config.bin %> login --email ada@example.com",
  ],
  flags: { email: Flags.string({ description: "Sign in with this e-mail address and a password." }) },
  async run(call) {
    const { email, profile } = call.flags;
    if (email !== undefined) {
      const password = await askPassword(1);
      return signInAndKeepKeys(call, (client) => client.accounts.signIn({ email, password }));
    }
    const name = profileName(profile);
    await prepareProfiles();
    const target = await targetOf(call.flags, { key: "none", newProfile: true });
    const apiKey = await askSecret(`API key for ${target.url}`, (key) =>
      SECRET.test(key) ? undefined : "An API key is svc_sk_ and 43 characters.",
    );
    const { client, url } = await call.connect({ target: { ...target, apiKey, keyFrom: "your input" } });
    const { projects } = await client.projects.list({ pageSize: 200 });
    await saveProfile(name, { url, apiKey });
    return { profile: name, file: profileFile(), url, projects: projects.map(({ id, name }) => ({ id, name })) };
  },
  show: (saved) =>
    "keys" in saved
      ? savedText(saved)
      : `The key reaches ${saved.projects.map(({ name }) => `"${name}"`).join(", ")} at ${saved.url}; saved in the profile "${saved.profile}" (${saved.file}).`,
});
