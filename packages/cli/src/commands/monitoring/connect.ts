import { setTimeout as delay } from "node:timers/promises";
import type { MonitoringSetup } from "@svc/contract";
import { Args, Flags } from "@oclif/core";
import { type AnyCall, command } from "../../command.ts";
import type { Connection } from "../../connection.ts";
import { importProgress, isImporting } from "../../monitoring/import-progress.ts";
import { askPlatformKey } from "../../monitoring/platform-key.ts";
import { setupText } from "../../monitoring/setup-text.ts";
import { chooseSome, isInteractive } from "../../prompt.ts";
import { usage } from "../../refusal.ts";

const LOOK_MS = 1_000;

export default command({
  description:
    "For platform_a: saves the key and the agents whose production calls are to come in, and waits for the first 30 days; Ctrl-C ends the waiting and not the import. The key comes from SVC_PLATFORM_A_API_KEY, a hidden prompt or standard input. Saving again replaces key and choice and keeps the progress. For platform_b-agents: makes the record that watches for your workers.",
  examples: [
    "<%= config.bin %> monitoring connect",
    "<%= config.bin %> monitoring connect --all --no-wait < key.txt",
    "<%= config.bin %> monitoring connect --agent agent_5f0c --agent agent_71aa",
    "<%= config.bin %> monitoring connect platform_b-agents",
  ],
  args: {
    platform: Args.string({
      description: "Where the agents run.",
      options: ["platform_a", "platform_b-agents"],
      default: "platform_a",
      ignoreStdin: true,
    }),
  },
  flags: {
    agent: Flags.string({
      description: "Id of an agent; give it once for each.",
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "<id>",
    }),
    all: Flags.boolean({ description: "All voice agents that the key reads.", exclusive: ["agent"] }),
    "no-wait": Flags.boolean({ description: "Do not wait for the first 30 days." }),
  },
  async run(call) {
    const { args, flags } = call;
    if (args.platform === "platform_b-agents") {
      const { client, project } = await call.connect();
      return client.monitoring.savePlatformB({ project });
    }
    if (!flags.agent && !flags.all && !isInteractive())
      throw usage("There is no terminal to choose agents at: give --agent for each, or --all.");
    const api_key = await askPlatformKey();
    const connection = await call.connect();
    const { client, project } = connection;
    const ids = flags.agent ?? (await choose(call, connection, api_key));
    const { setup } = await client.monitoring.savePlatformA({ api_key, agents: ids.map((id) => ({ id })), project });
    return { setup: flags["no-wait"] ? setup : await waitForImport(call, connection, setup) };
  },
  show: ({ setup }) => setupText(setup),
});

async function choose(call: Pick<AnyCall, "flags" | "progress">, { client, project }: Connection, api_key: string) {
  const { agents } = await client.monitoring.discover({ api_key, project });
  if (agents.length === 0) throw usage("The key reads no voice agents: make one on the platform, or use another key.");
  if (call.flags.all) return agents.map(({ id }) => id);
  call.progress.clear();
  return chooseSome(
    "Agents whose calls are to come in",
    agents.map(({ id, name }) => ({ value: id, label: name, hint: id })),
  );
}

/** Until the first 30 days are in, or the platform takes the key no longer. */
async function waitForImport(
  { progress }: Pick<AnyCall, "progress">,
  { client, project }: Connection,
  saved: MonitoringSetup,
): Promise<MonitoringSetup> {
  let setup = saved;
  while (isImporting(setup) && setup.health.state !== "invalid_credential") {
    progress.now(importProgress(setup));
    await delay(LOOK_MS);
    const { setups } = await client.monitoring.list({ project });
    const found = setups.find(({ id }) => id === saved.id);
    if (!found) return setup;
    setup = found;
  }
  return setup;
}
