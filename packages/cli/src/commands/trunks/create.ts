import { Flags } from "@oclif/core";
import { allowFlag, askTrunkPassword, limitFlags, trunkText, userFlag } from "../../agents/trunk-text.ts";
import { command } from "../../command.ts";

export default command({
  summary: "Create a trunk, over which telephone numbers are called",
  description:
    "A new trunk calls nobody until its allow-list has a number. With --user, the password comes from a hidden prompt, SVC_TRUNK_PASSWORD or standard input.",
  examples: [
    "<%= config.bin %> trunks create --name Carrier --address sip.example.com --caller-id +493012345678 --user acme --allow +493087654321 < password.txt",
    "<%= config.bin %> trunks create --name PBX --address 192.0.2.7:5060 --caller-id 1001 --allow '+4930*'",
  ],
  flags: {
    name: Flags.string({ description: "Name of the trunk, unique in the project.", required: true }),
    address: Flags.string({
      description:
        "Host of the trunk, with its port unless that is 5060, and with ;transport=tls or ;transport=tcp unless it takes UDP.",
      helpValue: "<host:port>",
      required: true,
    }),
    "caller-id": Flags.string({
      description: "Number that the agent sees as the caller: in E.164, or an extension.",
      helpValue: "<number>",
      required: true,
    }),
    user: userFlag("User name that answers the trunk's challenge."),
    allow: allowFlag("A number in E.164 that may be called, or the beginning of numbers and *."),
    ...limitFlags(),
  },
  async run({ startSession, flags }) {
    const { name, address, user, allow: allowedNumbers } = flags;
    const credential = user === undefined ? undefined : { user, password: await askTrunkPassword(user) };
    const { client, projectId } = await startSession();
    const wanted = {
      name,
      address,
      callerId: flags["caller-id"],
      credential,
      allowedNumbers,
      maxCallSeconds: flags["max-call-seconds"],
      callsPerMinute: flags["calls-per-minute"],
      callsPerDay: flags["calls-per-day"],
      projectId,
    };
    return (await client.trunks.create(wanted)).trunk;
  },
  show: (trunk) => `Created ${trunkText(trunk)}`,
});
