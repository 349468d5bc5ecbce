import type { RunEvent } from "@svc/contract";
import type { Session } from "../session/session.ts";
import { type AgentProcess, startAgentProcess } from "./agent-process.ts";
import { bridgeTo, carryConversation, waitForConversation } from "./carry.ts";

type Conversation = { stop: AbortController; done: Promise<void> };

type LocalAgents = {
  /** Starts a process of the agent for each simulation that begins. */
  onEvent(event: RunEvent): void;
  close(): Promise<void>;
  /** The distinct lines that ended processes wrote about spans that were not delivered. */
  spanProblems(): string[];
};

/** Each simulation has its own process of the agent. The processes send their spans with `apiKey`. */
export function openLocalAgents(
  session: Session,
  { command, apiKey, note }: { command: string; apiKey: string | undefined; note: (text: string) => void },
): LocalAgents {
  const conversations = new Map<string, Conversation>();
  const processes = new Set<AgentProcess>();
  const stopping = new Set<Promise<void>>();
  const spanProblems = new Set<string>();
  const killAll = () => {
    for (const agent of processes) agent.kill();
  };
  // Node does not wait for promises at exit, so this handler kills the processes.
  process.once("exit", killAll);

  async function converse(simulationId: string, signal: AbortSignal): Promise<void> {
    const bridge = bridgeTo(session, simulationId, signal);
    const opened = await waitForConversation(bridge, signal);
    if (opened === undefined) return;
    const { tools: mockTools, attempt } = opened;
    const env = {
      SVC_URL: session.url,
      SVC_SIMULATION_ID: simulationId,
      ...(attempt !== undefined && { SVC_SIMULATION_ATTEMPT: String(attempt) }),
      SVC_SIMULATION_TOOLS: JSON.stringify(mockTools),
      ...(apiKey !== undefined && { SVC_API_KEY: apiKey }),
    };
    const agent = await startAgentProcess(command, env, [mockTools.token, ...(apiKey === undefined ? [] : [apiKey])]);
    processes.add(agent);
    // Nothing awaits the stop here. The process may still send its last spans while the service starts the next conversation.
    const stop = () => {
      const stopped = agent.stop().finally(() => {
        const problem = agent.spanProblem();
        if (problem !== undefined) spanProblems.add(problem);
        return processes.delete(agent) && stopping.delete(stopped);
      });
      stopping.add(stopped);
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      await carryConversation(bridge, agent, signal);
    } finally {
      stop();
    }
  }

  return {
    onEvent(event) {
      if (event.kind !== "simulation" || event.status !== "running") return;
      const { simulationId } = event;
      // After a restart, the service plays the simulation again from its start. That needs a new process.
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
      await Promise.all(stopping);
      process.off("exit", killAll);
    },
    spanProblems: () => [...spanProblems],
  };
}
