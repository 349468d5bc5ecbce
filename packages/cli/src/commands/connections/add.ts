import { Flags } from "@oclif/core";
import type { Input, Operations } from "@svc/contract";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { selectVariant, configFlag, readConfig, readCredential } from "../../agents/connection-form.ts";
import { connectionText } from "../../agents/connection-text.ts";
import { tryNewConnection, tryProgress, tryText } from "../../agents/connection-try.ts";
import { idOf } from "../../look-up.ts";
import { EXIT } from "../../refusal.ts";

type NewConnection = Input<Operations["connections"]["create"]>;

export default command({
  summary: "Add a connection to an agent",
  description:
    "See the types and their fields with `svc connections options`. Secrets come from a hidden prompt, from standard input with a line for each field, or from variables such as SVC_CREDENTIAL_API_KEY. They never come from the command line. The service then tries the connection, as `svc connections try` does; a connection that does not work yet stays, and the exit code is then 1.",
  examples: [
    '<%= config.bin %> connections add "Front desk" --type phone_number --config phoneNumber=+12025550123',
    '<%= config.bin %> connections add "Front desk" --type http_chat --variant bearer --config url=https://agent.example.com/chat --config format=openai < key.txt',
  ],
  args: { agent: argument("Id or exact name of the agent.") },
  flags: {
    type: Flags.string({ description: "Connection type, from `svc connections options`.", required: true }),
    variant: Flags.string({ description: "Access variant. Default: the first of the type." }),
    name: Flags.string({ description: "Name of the connection. Default: the name of the type." }),
    environment: Flags.string({ description: "Environment of the agent, such as staging. Default: production." }),
    modality: Flags.option({
      options: ["voice", "chat"] as const,
      description: "Voice or chat, when the type supports both. Default: the first of the type.",
    })(),
    config: configFlag(),
    try: Flags.boolean({
      description: "Try the new connection. Its result never removes the connection.",
      allowNo: true,
      default: true,
    }),
  },
  async run({ args, startSession, flags, progress, note }) {
    const session = await startSession();
    const { client, projectId } = session;
    const { connectionOptions } = await client.connectionOptions.list();
    const { type, variant } = selectVariant(connectionOptions, flags.type, flags.variant);
    const agentId = await idOf(session, "agent", args.agent);
    progress.clear();
    const config = await readConfig(variant, flags.config ?? []);
    const credential = await readCredential(variant);
    const { name, environment, modality } = flags;
    const connectionType = type.connectionType as NewConnection["connectionType"];
    const accessVariant = variant.accessVariant as NewConnection["accessVariant"];
    const content = { connectionType, accessVariant, name, environment, modality, config, credential };
    const { connection } = await client.connections.create({ agentId, projectId, ...content });
    if (flags.try) progress.now(tryProgress(connection));
    return {
      ...connection,
      plays: type.plays,
      try: flags.try ? await tryNewConnection(session, connection, note) : null,
    };
  },
  show: ({ plays, try: tried, ...connection }) =>
    [
      `Added ${connectionText(connection)}`,
      plays.summary,
      ...(tried ? [tryText(tried)] : []),
      ...(tried?.result === "fails" ? [keptText(connection)] : []),
    ].join("\n\n"),
  exitCode: ({ try: tried }) => (tried?.result === "fails" ? EXIT.refused : EXIT.done),
});

const keptText = ({ agentId, id }: { agentId: string; id: string }): string =>
  `The connection is kept. Correct it with \`svc connections edit ${agentId} ${id} --config NAME=VALUE\`, then try it again with \`svc connections try ${agentId} ${id}\`.`;
