import { patternOf, search } from "../../grading/pattern/pattern.ts";
import { type MockContent, mocksFor } from "../../mock-tools/rules.ts";
import { seeded } from "../../grading/seeded.ts";
import type { LanguageModel } from "../../language-model/language-model.ts";
import type { PersonaStore } from "../../personas/store.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import type { TestStore } from "../../test-definitions/store.ts";
import type { Caller } from "../callers/caller.ts";
import { briefOf } from "../callers/brief.ts";
import { modelCaller } from "../callers/model.ts";
import { ruleBasedCaller } from "../callers/rule-based.ts";
import { scriptOf, type Step, withoutScript } from "../callers/script.ts";
import { scriptedCaller } from "../callers/scripted.ts";
import type { Bridges } from "../lines/platform-b-console.ts";
import { type AgentLine, LineFailure } from "../lines/line.ts";
import { openAiChat, svcChat } from "../lines/http-chat.ts";
import { platformAChat } from "../lines/platform-a-chat-api.ts";
import { openMockedTools } from "./mocked-tools.ts";
import type { ConnectionSnapshot, RunRow, SimulationRow } from "../rules.ts";
import type { SimulationTools } from "./simulation-tools.ts";
import type { Prepare } from "./simulate.ts";

type Parts = {
  tests: TestStore;
  personas: PersonaStore;
  model: LanguageModel | undefined;
  sealed: SealedCredentials;
  bridges: Bridges;
  tools: SimulationTools;
  platformABaseUrl: string;
  /** Where agents reach the service to call mocked tools back. */
  publicUrl: () => string;
};

/** The caller of a simulation and its line to the agent. */
export function openPrepare({
  tests,
  personas,
  model,
  sealed,
  bridges,
  tools,
  platformABaseUrl,
  publicUrl,
}: Parts): Prepare {
  async function credentialOf(connectionId: string): Promise<{ apiKey?: string }> {
    const secret = await sealed.open(connectionId);
    return secret === undefined ? {} : (JSON.parse(secret) as { apiKey?: string });
  }

  async function neededKey(run: RunRow): Promise<string> {
    const { apiKey } = await credentialOf(run.connection_id);
    if (apiKey !== undefined) return apiKey;
    throw new LineFailure("credential_rejected", "The connection's credential cannot be opened; enter it again.");
  }

  return async (simulation, run, signal) => {
    const { version } = await tests.getVersion(run.project_id, simulation.test_version_id);
    const { scenario, mock_tools } = version.content;
    const { connectionType, accessVariant, config }: ConnectionSnapshot = JSON.parse(run.connection);
    const projectMocks: MockContent[] = JSON.parse(run.mock_tools);
    const mocked = openMockedTools(mocksFor(mock_tools, projectMocks, run.agent_id));
    return { caller: await callerOf(simulation, run, scenario), line: await lineOf(), mockedTools: mocked.names };

    async function lineOf(): Promise<AgentLine> {
      if (connectionType === "platform_b_console") {
        const calledBack = tools.start(simulation.id, mocked.use, signal);
        return endingWith(calledBack.end, bridges.line(simulation.id, { names: mocked.names, ...calledBack }));
      }
      if (connectionType === "platform_a_chat_api") {
        const agentId = config.platformAAgentId!;
        return platformAChat({ baseUrl: platformABaseUrl, apiKey: await neededKey(run), agentId });
      }
      const apiKey = accessVariant === "http_chat.bearer" ? await neededKey(run) : undefined;
      const chat = { url: new URL(config.url!), model: config.model, apiKey, useTool: mocked.use };
      if (config.format === "openai") return openAiChat(chat);
      const calledBack = tools.start(simulation.id, mocked.use, signal);
      const url = `${publicUrl()}/v1/simulations/${simulation.id}/tools/`;
      const line = svcChat(chat, {
        simulationId: simulation.id,
        tools: { names: mocked.names, url, token: calledBack.token },
        takeToolUses: calledBack.take,
      });
      return endingWith(calledBack.end, line);
    }
  };

  async function callerOf(simulation: SimulationRow, run: RunRow, scenario: string): Promise<Caller> {
    const seed = [simulation.test_version_id, simulation.persona_version_id, simulation.iteration].join(" ");
    if (run.caller === "model") {
      if (!model) throw new LineFailure("simulator_error", "The service has no language model any more.");
      const { version } = await personas.getVersion(run.project_id, simulation.persona_version_id);
      return modelCaller(model, briefOf(scenario, simulation.persona_name, version), seed);
    }
    const script = scriptOf(scenario);
    if (script) return scriptedCaller(script, matches);
    return ruleBasedCaller(withoutScript(scenario), seeded(seed));
  }
}

const endingWith = (end: () => void, line: AgentLine): AgentLine => ({
  ...line,
  async close() {
    await line.close();
    end();
  },
});

function matches({ waitFor, waitForFlags }: Step, text: string): boolean {
  const pattern = patternOf(waitFor!, waitForFlags);
  if ("problem" in pattern)
    throw new LineFailure("simulator_error", `The script waits for /${waitFor}/: ${pattern.problem}`);
  return typeof search(pattern, text) === "object";
}
