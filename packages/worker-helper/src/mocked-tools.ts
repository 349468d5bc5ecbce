import { llm, voice } from "@livekit/agents";
import type { MockedTools } from "./settings.ts";
import { readSome, untraced } from "./own-requests.ts";

/** A mock may wait for 30 s before it answers. */
const TIMEOUT_MS = 45_000;
const MOST_ANSWER_BYTES = 1 << 20;
const ID_CHARACTERS_MAX = 200;

type ToolCall = { toolCallId?: string; abortSignal?: AbortSignal };
type Answer = { result?: unknown; error?: string };

/**
 * From now on the service answers the tools of these names, of every agent of this process: the framework asks for the
 * mocks of the current agent's class before it runs a tool, and gets to know the class just before.
 */
export function answerFromMocks({ names, token, toolsUrl }: MockedTools): void {
  const mocks = Object.create(null) as Record<string, ReturnType<typeof mockOf>>;
  for (const name of names) mocks[name] = mockOf(name);
  const { prototype } = voice.AgentSession;
  const { get: currentAgent } = Object.getOwnPropertyDescriptor(prototype, "currentAgent")!;
  const known = new Set<unknown>();
  Object.defineProperty(prototype, "currentAgent", {
    configurable: true,
    get(this: voice.AgentSession) {
      const agent = currentAgent!.call(this) as voice.Agent;
      if (!known.has(agent.constructor)) {
        known.add(agent.constructor);
        voice.testing.withMockTools(agent.constructor as Parameters<typeof voice.testing.withMockTools>[0], mocks);
      }
      return agent;
    },
  });

  function mockOf(name: string) {
    return async (args: unknown, { toolCallId, abortSignal }: ToolCall = {}): Promise<unknown> => {
      const body = JSON.stringify({ id: toolCallId?.slice(0, ID_CHARACTERS_MAX), arguments: args });
      const { result, error } = await untraced(() => ask(name, body, abortSignal));
      if (error !== undefined) throw new llm.ToolError(error);
      return result;
    };
  }

  async function ask(name: string, body: string, abortSignal?: AbortSignal): Promise<Answer> {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    let problem: string;
    try {
      const response = await fetch(`${toolsUrl}${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body,
        redirect: "manual",
        signal: abortSignal === undefined ? late : AbortSignal.any([late, abortSignal]),
      });
      const answer = await readSome(response, MOST_ANSWER_BYTES);
      if (response.ok && answer !== undefined) return JSON.parse(Buffer.from(answer).toString()) as Answer;
      problem = `HTTP ${response.status}`;
    } catch (thrown) {
      problem = String(thrown);
    }
    console.warn(`[svc] The mock of ${name} was not answered by the service: ${problem}`);
    return { error: `The mock of ${name} could not be asked.` };
  }
}
