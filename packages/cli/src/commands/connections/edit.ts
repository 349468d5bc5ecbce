import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { selectVariant, configFlag, readConfig, readCredential } from "../../agents/connection-form.ts";
import { connectionText } from "../../agents/connection-text.ts";
import { connectionIdsOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Edit a connection",
  description:
    "Changes only what the flags name. --config changes one field, and an empty value such as `model=` removes it. --credential reads the whole credential again, as `svc connections add` does. An address on another host needs it.",
  examples: [
    '<%= config.bin %> connections edit "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --environment staging',
    '<%= config.bin %> connections edit "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --credential < key.txt',
  ],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  flags: {
    name: Flags.string({ description: "New name." }),
    environment: Flags.string({ description: "New environment." }),
    config: configFlag(),
    credential: Flags.boolean({ description: "Replace the credential." }),
  },
  async run({
    args,
    startSession,
    progress,
    flags: { name, environment, config: pairs, credential: replacesCredential },
  }) {
    if (name === undefined && environment === undefined && !pairs && !replacesCredential)
      throw usage("Nothing to change. Set --name, --environment, --config or --credential.");
    const session = await startSession();
    const { client } = session;
    const ids = await connectionIdsOf(session, args);
    if (!pairs && !replacesCredential) return (await client.connections.edit({ ...ids, name, environment })).connection;

    const { connection: current } = await client.connections.get(ids);
    const { connectionOptions } = await client.connectionOptions.list();
    const { variant } = selectVariant(connectionOptions, current.connectionType, current.accessVariant);
    progress.clear();
    const currentPairs = Object.entries(current.config).map(([field, value]) => `${field}=${String(value)}`);
    const config = pairs && withoutEmpty(await readConfig(variant, [...currentPairs, ...pairs]));
    const credential = replacesCredential ? ((await readCredential(variant)) ?? {}) : undefined;
    const expectedRevision = current.revision;
    return (await client.connections.edit({ ...ids, name, environment, config, credential, expectedRevision }))
      .connection;
  },
  show: (connection) => `Now ${connectionText(connection)}`,
});

const withoutEmpty = (config: Record<string, string>) =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ""));
