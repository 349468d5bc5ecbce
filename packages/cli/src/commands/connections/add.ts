import { Flags } from "@oclif/core";
import type { Input, Operations } from "@svc/contract";
import { argument, command } from "../../command.ts";
import { chosen, configFlag, configOf, credentialOf } from "../../connection-form.ts";
import { connectionText } from "../../connection-text.ts";
import { agentIdOf } from "../../names.ts";

type New = Input<Operations["connections"]["create"]>;

export default command({
  description:
    "`svc connections options` shows the types and what each asks for. A secret comes from a hidden prompt, from standard input with a line for each field, or from a variable such as SVC_CREDENTIAL_API_KEY, and never from the command line.",
  examples: [
    '<%= config.bin %> connections add "Front desk" --type phone_number --config phoneNumber=+12025550123',
    '<%= config.bin %> connections add "Front desk" --type http_chat --variant bearer --config url=https://agent.example.com/chat --config format=openai < key.txt',
  ],
  args: { agent: argument("Id or exact name of the agent.") },
  flags: {
    type: Flags.string({ description: "One of `svc connections options`.", required: true }),
    variant: Flags.string({ description: "Access variant; default: the first of the type." }),
    name: Flags.string({ description: "Default: the type's." }),
    environment: Flags.string({ description: 'Such as "staging"; default "production".' }),
    modality: Flags.option({
      options: ["voice", "chat"] as const,
      description: "Where the type has both; default: its first.",
    })(),
    config: configFlag(),
  },
  async run({ args, connect, flags, progress }) {
    const connection = await connect();
    const { client, project: projectId } = connection;
    const { connectionOptions } = await client.connectionOptions.list();
    const { type, variant } = chosen(connectionOptions, flags.type, flags.variant);
    const agentId = await agentIdOf(connection, args.agent);
    progress.clear();
    const config = await configOf(variant, flags.config ?? []);
    const credential = await credentialOf(variant);
    const { name, environment, modality } = flags;
    const connectionType = type.connectionType as New["connectionType"];
    const accessVariant = variant.accessVariant as New["accessVariant"];
    const wanted = { connectionType, accessVariant, name, environment, modality, config, credential };
    return (await client.connections.create({ agentId, projectId, ...wanted })).connection;
  },
  show: (connection) => `Added ${connectionText(connection)}`,
});
