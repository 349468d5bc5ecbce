import { Flags } from "@oclif/core";
import { command } from "../../command.ts";

export default command({
  description:
    "The same platform agent is registered once in a project; again, the one that there is is answered. `svc connections add` then says how to reach it.",
  examples: [
    '<%= config.bin %> agents register --name "Front desk"',
    '<%= config.bin %> agents register --name "Front desk" --platform platform_a --platform-id agent_1a2b',
  ],
  flags: {
    name: Flags.string({ description: "Unique among the project's live agents.", required: true }),
    platform: Flags.option({
      options: ["platform_a", "platform_b_agents", "custom"] as const,
      description: 'Default "custom".',
    })(),
    "platform-id": Flags.string({ description: "Its id on its platform." }),
  },
  async run({ connect, flags: { name, platform: agentPlatform, "platform-id": platformAgentId } }) {
    const { client, project: projectId } = await connect();
    return client.agents.register({ name, agentPlatform, platformAgentId, projectId });
  },
  show: ({ result, agent }) =>
    result === "created"
      ? `Registered "${agent.name}" (${agent.id}). Say how to reach it: svc connections add ${agent.id} --type …`
      : `It is registered already as "${agent.name}" (${agent.id}).`,
});
