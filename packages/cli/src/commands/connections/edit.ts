import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { chosen, configFlag, configOf, credentialOf } from "../../connection-form.ts";
import { connectionText } from "../../connection-text.ts";
import { connectionIdsOf } from "../../names.ts";
import { usage } from "../../refusal.ts";

export default command({
  description:
    "Changes what is given and keeps the rest. A --config changes that field; a value left out, as in `model=`, takes it away. --credential asks for the whole credential again, as `svc connections add` does.",
  examples: [
    '<%= config.bin %> connections edit "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --environment staging',
    '<%= config.bin %> connections edit "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --credential < key.txt',
  ],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  flags: {
    name: Flags.string({ description: "Another name." }),
    environment: Flags.string({ description: "Another environment." }),
    config: configFlag(),
    credential: Flags.boolean({ description: "Replace the credential." }),
  },
  async run({ args, connect, progress, flags: { name, environment, config: pairs, credential: replaces } }) {
    if (name === undefined && environment === undefined && !pairs && !replaces)
      throw usage("Name what to change: --name, --environment, --config or --credential.");
    const connection = await connect();
    const { client } = connection;
    const ids = await connectionIdsOf(connection, args);
    if (!pairs && !replaces) return (await client.connections.edit({ ...ids, name, environment })).connection;

    const { connection: current } = await client.connections.get(ids);
    const { connectionOptions } = await client.connectionOptions.list();
    const { variant } = chosen(connectionOptions, current.connectionType, current.accessVariant);
    progress.clear();
    const kept = Object.entries(current.config).map(([field, value]) => `${field}=${String(value)}`);
    const config = pairs && withoutEmpty(await configOf(variant, [...kept, ...pairs]));
    const credential = replaces ? ((await credentialOf(variant)) ?? {}) : undefined;
    return (await client.connections.edit({ ...ids, name, environment, config, credential })).connection;
  },
  show: (connection) => `Now ${connectionText(connection)}`,
});

const withoutEmpty = (config: Record<string, string>) =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ""));
