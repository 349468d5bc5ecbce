import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { repeatedFlag } from "../../flags.ts";
import { table } from "../../terminal/output.ts";
import { ago, moment } from "../../terminal/times.ts";

export default command({
  summary: "List the versions of agents in production, newest first",
  description:
    "The version comes from the first of these that the spans contain: the attribute that the project names, `svc.agent_version`, `lk.agent.version`, `gen_ai.agent.version`, the version that Retell reports, or the `service.version` of the resource.",
  examples: [
    "<%= config.bin %> agents versions --agent Hotel",
    "<%= config.bin %> compare --agent Hotel --version 41 --with 42",
  ],
  flags: {
    agent: repeatedFlag("Only versions of this agent, by its exact name.", "<name>"),
    limit: Flags.integer({ description: "Largest number of versions to show.", min: 1, max: 200, default: 50 }),
  },
  async run({ startSession, flags: { agent, limit } }) {
    const { client, projectId } = await startSession();
    const { agentVersions, isMore } = await client.agentVersions.list({ projectId, agent });
    return { items: agentVersions.slice(0, limit), isMore: isMore || agentVersions.length > limit };
  },
  show: ({ items, isMore }) =>
    table(
      items,
      [
        { title: "agent", cell: ({ agentName }) => agentName, cut: true },
        { title: "version", cell: ({ version }) => version, whole: true },
        { title: "first seen", cell: ({ firstSeenAt }) => moment(firstSeenAt) },
        { title: "last seen", cell: ({ lastSeenAt }) => ago(lastSeenAt) },
      ],
      "No production conversation names a version. Set SVC_AGENT_VERSION beside SVC_URL for a worker, or service.version in the resource of its spans.",
    ) + (isMore ? "\n\nOlder versions are left out." : ""),
});
