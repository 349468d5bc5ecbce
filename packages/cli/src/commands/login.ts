import { Flags } from "@oclif/core";
import { type AnyInvocation, command } from "../command.ts";
import { signInAsDevice } from "../session/device-sign-in.ts";
import { yesFlag } from "../flags.ts";
import { prepareProfiles, profileFile, profileName, saveProfile } from "../session/profile.ts";
import { askSecret, checkedSecret, firstInputLine, isInteractive } from "../terminal/prompt.ts";
import { asPerson, personFlags, saveNewKeys, savedProfileText } from "../session/sign-in.ts";
import { API_KEY, resolveTarget } from "../session/target.ts";

export default command({
  summary: "Sign in on this machine and save its keys",
  description:
    "Shows a code. Approve it in a browser, or in another terminal with `svc login --approve`; this machine then gets its keys. Without a terminal, an API key on standard input is saved in place of a code. With --email, signs in with your password. With --approve, approves the code that another machine shows.",
  examples: [
    "<%= config.bin %> login --url https://voice.example.com",
    "<%= config.bin %> login --approve BDWP-HQPK --email ada@example.com",
    "<%= config.bin %> login --email ada@example.com",
    "<%= config.bin %> login < key.txt",
  ],
  flags: {
    ...personFlags(),
    device: Flags.boolean({ description: "Show a code to approve, and do not read standard input." }),
    key: Flags.boolean({ description: "Ask for an API key, even at a terminal." }),
    approve: Flags.string({
      description: "Approve the machine that shows this code.",
      helpValue: "<code>",
      exclusive: ["device", "key"],
    }),
    yes: yesFlag(),
  },
  async run(invocation) {
    const { approve, device, email, key } = invocation.flags;
    if (approve !== undefined) return approveDevice(invocation, approve);
    if (email !== undefined) {
      profileName(invocation.flags.profile);
      await prepareProfiles();
      return asPerson(invocation, (session, account) => saveNewKeys(session, account, invocation.flags));
    }
    if (isInteractive()) return key ? saveKey(invocation) : signInAsDevice(invocation);
    const line = device ? "" : await firstInputLine();
    return line === "" && !key ? signInAsDevice(invocation) : saveKey(invocation, line);
  },
  show: (saved) => {
    if ("approved" in saved) return `Approved "${saved.approved}". It gets a key of "${saved.organization}".`;
    if ("keys" in saved) return savedProfileText(saved);
    return `The key can read ${saved.projects.map(({ name }) => `"${name}"`).join(", ")} at ${saved.url}. It is saved in the profile "${saved.profile}" (${saved.file}).`;
  },
});

function approveDevice(
  invocation: Pick<AnyInvocation, "startSession" | "confirm"> & {
    flags: AnyInvocation["flags"] & { email?: string | undefined; organization?: string | undefined };
  },
  user_code: string,
) {
  return asPerson(invocation, async ({ client }, { organization }) => {
    const { client_name } = await client.device.get({ user_code });
    await invocation.confirm(`Let "${client_name}" act for you in "${organization.name}"?`);
    await client.device.approve({ user_code });
    return { approved: client_name, organization: organization.name };
  });
}

const faultOf = (key: string) => (API_KEY.test(key) ? undefined : "An API key is svc_sk_ and 43 characters.");

/** `line` is the key from standard input. When `line` is undefined, asks for the key at a prompt. */
async function saveKey({ flags, startSession }: Pick<AnyInvocation, "startSession" | "flags">, line?: string) {
  const name = profileName(flags.profile);
  await prepareProfiles();
  const target = await resolveTarget(flags, { key: "none", newProfile: true });
  const apiKey =
    line === undefined ? await askSecret(`API key for ${target.url}`, faultOf) : checkedSecret(line, faultOf);
  const { client, url } = await startSession({ target: { ...target, apiKey, keyFrom: "your input" } });
  const { projects } = await client.projects.list({ pageSize: 200 });
  await saveProfile(name, { url, apiKey });
  return { profile: name, file: profileFile(), url, projects: projects.map(({ id, name }) => ({ id, name })) };
}
