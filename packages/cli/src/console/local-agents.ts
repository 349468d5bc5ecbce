import type { RunEvent } from "@svc/contract";
import type { Connection } from "../connection.ts";
import { type AgentProcess, startAgentProcess } from "./agent-process.ts";
import { carry, mockedTools, openBridge } from "./carry.ts";

type Conversation = { stop: AbortController; done: Promise<void> };

type LocalAgents = {
  /** Starts an agent's process for each simulation that begins. */
  onEvent(event: RunEvent): void;
  /** Ends every process that is left; resolves when none is. */
  close(): Promise<void>;
};

/** Plays a run's simulations against processes of an agent on this machine: one for each conversation. */
export function openLocalAgents(
  connection: Connection,
  { command, note }: { command: string; note: (text: string) => void },
): LocalAgents {
  const conversations = new Map<string, Conversation>();
  const processes = new Set<AgentProcess>();
  const ending = new Set<Promise<void>>();
  // Nobody waits for a promise any more then.
  const killAll = () => {
    for (const agent of processes) agent.kill();
  };
  process.once("exit", killAll);

  async function converse(simulationId: string, signal: AbortSignal): Promise<void> {
    const bridge = openBridge(connection, simulationId, signal);
    const tools = await mockedTools(bridge, signal);
    if (tools === undefined) return;
    const env = {
      SVC_URL: connection.url,
      SVC_SIMULATION_ID: simulationId,
      SVC_SIMULATION_TOOLS: JSON.stringify(tools),
      ...(connection.apiKey !== undefined && { SVC_API_KEY: connection.apiKey }),
    };
    const agent = await startAgentProcess(command, env);
    processes.add(agent);
    // The conversation is over for the service, which begins the next; the process may still send its last spans.
    const stop = () => {
      const ended = agent.stop().finally(() => processes.delete(agent) && ending.delete(ended));
      ending.add(ended);
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      await carry(bridge, agent, signal);
    } finally {
      stop();
    }
  }

  return {
    onEvent(event) {
      if (event.kind !== "simulation" || event.status !== "running") return;
      const { simulationId } = event;
      // After a restart the service plays it from the start, and so does the agent.
      conversations.get(simulationId)?.stop.abort();
      const stop = new AbortController();
      const done = converse(simulationId, stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) note(`${simulationId}: ${(error as Error).message}`);
      });
      conversations.set(simulationId, { stop, done });
    },
    async close() {
      for (const { stop } of conversations.values()) stop.abort();
      await Promise.all([...conversations.values()].map(({ done }) => done));
      await Promise.all(ending);
      process.off("exit", killAll);
    },
  };
}
