import { Flags } from "@oclif/core";
import { command } from "../../command.ts";

export default command({
  summary: "Register an agent",
  description:
    "Registering an agent of a platform again returns the existing agent. Then add a connection with `svc connections add`, so that the service can reach the agent.",
  examples: [
    '<%= config.bin %> agents register --name "Front desk"',
    '<%= config.bin %> agents register --name "Front desk" --platform platform_a --platform-id agent_1a2b',
  ],
  flags: {
    name: Flags.string({
      description: "Name of the agent, unique among the live agents of the project.",
      required: true,
    }),
    platform: Flags.option({
      options: ["platform_a", "platform_b_agents", "custom"] as const,
      description: "Platform on which the agent runs: Retell, LiveKit Agents or any other. Default: custom.",
    })(),
    "platform-id": Flags.string({ description: "Id of the agent on its platform." }),
  },
  async run({ startSession, flags: { name, platform: agentPlatform, "platform-id": platformAgentId } }) {
    const { client, projectId } = await startSession();
    return client.agents.register({ name, agentPlatform, platformAgentId, projectId });
  },
  show: ({ result, agent }) =>
    result === "created"
      ? `Registered "${agent.name}" (${agent.id}). To add a connection: svc connections add ${agent.id} --type …`
      : `The agent is already registered as "${agent.name}" (${agent.id}).`,
});
