import { Flags } from "@oclif/core";
import { allowFlag, askTrunkPassword, limitFlags, trunkText, userFlag } from "../../agents/trunk-text.ts";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Edit a trunk: its allow-list, its limits, its password",
  description:
    "Changes only what the flags name. Runs that are in progress use the new values too. --allow adds to the allow-list, and --disallow removes from it. With --user, the password is read as `svc trunks create` does. Another --address needs it when the trunk has a password.",
  examples: [
    "<%= config.bin %> trunks edit Carrier --allow +493087654321",
    "<%= config.bin %> trunks edit Carrier --disallow '+4930*' --calls-per-day 20",
    "<%= config.bin %> trunks edit Carrier --user acme < password.txt",
  ],
  args: { trunk: argument("Id or exact name of the trunk.") },
  flags: {
    name: Flags.string({ description: "New name." }),
    address: Flags.string({
      description:
        "New host, with its port unless that is 5060, and with ;transport=tls or ;transport=tcp unless it takes UDP.",
      helpValue: "<host:port>",
    }),
    "caller-id": Flags.string({ description: "New number that the agent sees as the caller.", helpValue: "<number>" }),
    user: userFlag("New user name, with a new password."),
    "no-password": Flags.boolean({ description: "Remove the user and the password.", exclusive: ["user"] }),
    allow: allowFlag("A number in E.164 that may be called from now on, or the beginning of numbers and *."),
    disallow: allowFlag("An entry to remove from the allow-list."),
    ...limitFlags(),
  },
  async run({ args, startSession, flags }) {
    const { name, address, user, allow = [], disallow = [] } = flags;
    const changes = {
      name,
      address,
      callerId: flags["caller-id"],
      maxCallSeconds: flags["max-call-seconds"],
      callsPerMinute: flags["calls-per-minute"],
      callsPerDay: flags["calls-per-day"],
    };
    const changesNumbers = allow.length > 0 || disallow.length > 0;
    if (
      Object.values(changes).every((change) => change === undefined) &&
      !changesNumbers &&
      user === undefined &&
      !flags["no-password"]
    )
      throw usage("Nothing to change. Set a flag: `svc trunks edit --help` lists them.");
    const credential =
      user === undefined ? (flags["no-password"] ? null : undefined) : { user, password: await askTrunkPassword(user) };
    const session = await startSession();
    const { client, projectId } = session;
    const ids = { trunkId: await idOf(session, "trunk", args.trunk), projectId };
    if (!changesNumbers) return (await client.trunks.edit({ ...ids, ...changes, credential })).trunk;
    const { trunk } = await client.trunks.get(ids);
    const unknown = disallow.find((entry) => !trunk.allowedNumbers.includes(entry));
    if (unknown !== undefined)
      throw usage(`The allow-list does not have ${unknown}. See \`svc trunks show ${trunk.id}\`.`);
    const allowedNumbers = [...trunk.allowedNumbers.filter((entry) => !disallow.includes(entry)), ...allow];
    const expectedRevision = trunk.revision;
    return (await client.trunks.edit({ ...ids, ...changes, credential, allowedNumbers, expectedRevision })).trunk;
  },
  show: (trunk) => `Now ${trunkText(trunk)}`,
});
