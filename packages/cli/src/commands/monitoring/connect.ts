import { setTimeout as delay } from "node:timers/promises";
import type { MonitoringSetup } from "@svc/contract";
import { Args, Flags } from "@oclif/core";
import { type AnyInvocation, command } from "../../command.ts";
import { repeatedFlag } from "../../flags.ts";
import type { Session } from "../../session/session.ts";
import { importProgress, isImporting } from "../../monitoring/import-progress.ts";
import { askPlatformKey } from "../../monitoring/platform-key.ts";
import { setupText } from "../../monitoring/setup-text.ts";
import { chooseSome, isInteractive } from "../../terminal/prompt.ts";
import { usage } from "../../refusal.ts";

const POLL_MS = 1_000;

export default command({
  summary: "Start to import production calls of agents",
  description:
    "For Retell (platform_a): saves the key and the selected agents, then waits until the calls of the past 30 days are imported. Ctrl-C ends the wait, and the import continues. The key comes from SVC_PLATFORM_A_API_KEY, a hidden prompt or standard input. Running the command again replaces the key and the agents, and keeps the progress. For LiveKit Agents (platform_b-agents): creates the setup to which your workers send.",
  examples: [
    "<%= config.bin %> monitoring connect",
    "<%= config.bin %> monitoring connect --all --no-wait < key.txt",
    "<%= config.bin %> monitoring connect --agent agent_5f0c --agent agent_71aa",
    "<%= config.bin %> monitoring connect --all --fetch-recordings",
    "<%= config.bin %> monitoring connect platform_b-agents",
  ],
  args: {
    platform: Args.string({
      description: "Platform on which the agents run: Retell or LiveKit Agents.",
      options: ["platform_a", "platform_b-agents"],
      default: "platform_a",
      ignoreStdin: true,
    }),
  },
  flags: {
    agent: repeatedFlag("Platform id of an agent whose calls to import.", "<id>"),
    all: Flags.boolean({
      description: "Import the calls of all voice agents that the key can read.",
      exclusive: ["agent"],
    }),
    "fetch-recordings": Flags.boolean({
      description:
        "Fetch the recording of each call when the call is imported, so that you can play it here. Without the flag, the setting does not change; a new setup fetches no recordings.",
      allowNo: true,
    }),
    "no-wait": Flags.boolean({ description: "Do not wait for the calls of the past 30 days." }),
  },
  async run(invocation) {
    const { args, flags } = invocation;
    if (args.platform === "platform_b-agents") {
      const { client, projectId: project } = await invocation.startSession();
      return client.monitoring.savePlatformB({ project });
    }
    if (!flags.agent && !flags.all && !isInteractive())
      throw usage("There is no terminal for a choice of agents. Set --agent for each agent, or --all.");
    const api_key = await askPlatformKey();
    const session = await invocation.startSession();
    const { client, projectId: project } = session;
    const ids = flags.agent ?? (await selectAgents(invocation, session, api_key));
    const { setup } = await client.monitoring.savePlatformA({
      api_key,
      agents: ids.map((id) => ({ id })),
      fetch_recordings: flags["fetch-recordings"] as boolean | undefined,
      project,
    });
    return { setup: flags["no-wait"] ? setup : await waitForImport(invocation, session, setup) };
  },
  show: ({ setup }) => setupText(setup),
});

async function selectAgents(
  invocation: Pick<AnyInvocation, "flags" | "progress">,
  { client, projectId: project }: Session,
  api_key: string,
) {
  const { agents } = await client.monitoring.discover({ api_key, project });
  if (agents.length === 0)
    throw usage("The key can read no voice agents. Create one on the platform, or use another key.");
  if (invocation.flags.all) return agents.map(({ id }) => id);
  invocation.progress.clear();
  return chooseSome(
    "Agents whose calls to import",
    agents.map(({ id, name }) => ({ value: id, label: name, hint: id })),
  );
}

/** Waits until the calls of the past 30 days are imported, or until the platform rejects the key. */
async function waitForImport(
  { progress }: Pick<AnyInvocation, "progress">,
  { client, projectId: project }: Session,
  saved: MonitoringSetup,
): Promise<MonitoringSetup> {
  let setup = saved;
  while (isImporting(setup) && setup.health.state !== "invalid_credential") {
    progress.now(importProgress(setup));
    await delay(POLL_MS);
    const { setups } = await client.monitoring.list({ project });
    const current = setups.find(({ id }) => id === saved.id);
    if (!current) return setup;
    setup = current;
  }
  return setup;
}
