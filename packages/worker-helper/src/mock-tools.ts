import { llm, voice } from "@livekit/agents";
import type { MockToolSettings } from "./settings.ts";
import { readAtMost, untraced } from "./own-requests.ts";

/** Time limit of a mock tool call. It exceeds 30 s, because a mock tool can delay its answer by up to 30 s. */
const TIMEOUT_MS = 45_000;
const MOST_ANSWER_BYTES = 1 << 20;
const ID_CHARACTERS_MAX = 200;

type ToolCall = { toolCallId?: string; abortSignal?: AbortSignal };
type Answer = { result?: unknown; error?: string };

/**
 * Makes the service answer the calls of the named tools, for every agent of this process. The framework finds mocks by the class of
 * the agent, and reads `currentAgent` before it runs a tool. So a replaced getter of `currentAgent` registers the mocks of the class.
 */
export function installMockTools({ names, token, toolsUrl }: MockToolSettings): void {
  const mocks = Object.create(null) as Record<string, ReturnType<typeof createMock>>;
  for (const name of names) mocks[name] = createMock(name);
  const { prototype } = voice.AgentSession;
  const { get: currentAgent } = Object.getOwnPropertyDescriptor(prototype, "currentAgent")!;
  const registered = new Set<unknown>();
  Object.defineProperty(prototype, "currentAgent", {
    configurable: true,
    get(this: voice.AgentSession) {
      const agent = currentAgent!.call(this) as voice.Agent;
      if (!registered.has(agent.constructor)) {
        registered.add(agent.constructor);
        voice.testing.withMockTools(agent.constructor as Parameters<typeof voice.testing.withMockTools>[0], mocks);
      }
      return agent;
    },
  });

  function createMock(name: string) {
    return async (args: unknown, { toolCallId, abortSignal }: ToolCall = {}): Promise<unknown> => {
      const body = JSON.stringify({ id: toolCallId?.slice(0, ID_CHARACTERS_MAX), arguments: args });
      const { result, error } = await untraced(() => ask(name, body, abortSignal));
      if (error !== undefined) throw new llm.ToolError(error);
      return result;
    };
  }

  async function ask(name: string, body: string, abortSignal?: AbortSignal): Promise<Answer> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let problem: string;
    try {
      const response = await fetch(`${toolsUrl}${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body,
        redirect: "manual",
        signal: abortSignal === undefined ? timeout : AbortSignal.any([timeout, abortSignal]),
      });
      const answer = await readAtMost(response, MOST_ANSWER_BYTES);
      if (response.ok && answer !== undefined) return JSON.parse(Buffer.from(answer).toString()) as Answer;
      problem = `HTTP ${response.status}`;
    } catch (thrown) {
      problem = String(thrown);
    }
    console.warn(`[svc] The service did not answer the call of the mock tool ${name}: ${problem}`);
    return { error: `The service did not answer the call of the mock tool ${name}.` };
  }
}
