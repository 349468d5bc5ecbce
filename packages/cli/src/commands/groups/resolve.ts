import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, repeatedFlag } from "../../flags.ts";
import { editedText } from "../../groups/group-text.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Say that the cause of a failure group is repaired",
  description:
    "A failure of a conversation that starts later opens the group again, and the event `group.regressed` says so. If the next version of the agent repairs the cause, use --in-next-version: failures of the versions that failed so far then do not open the group again.",
  examples: [
    "<%= config.bin %> groups resolve grp_01k7m2x3v4e5f6g7h8j9k0m1n2",
    "<%= config.bin %> groups resolve grp_01k7m2x3v4e5f6g7h8j9k0m1n2 --in-next-version",
  ],
  args: { group: argument("Id of the group, from `svc groups list`.") },
  flags: {
    "in-next-version": Flags.boolean({
      description: "Failures of the versions that the group contains now do not open the group again.",
      exclusive: ["except-version"],
    }),
    "except-version": repeatedFlag("Failures of this version do not open the group again.", "<version>"),
  },
  async run({ args, flags, startSession }) {
    const { client, projectId } = await startSession();
    const one = { groupId: args.group, projectId };
    const exceptVersions = flags["in-next-version"]
      ? (await client.groups.get(one)).group.agentVersions
      : flags["except-version"];
    if (flags["in-next-version"] && exceptVersions?.length === 0)
      throw usage(
        "No failure of this group has a version of the agent. Resolve it without `--in-next-version`, or make the agent send one: `svc.agent_version`.",
      );
    return (await client.groups.edit({ ...one, state: "resolved", exceptVersions })).group;
  },
  show: (group) => editedText("Resolved", group),
});
