import { mocksFor } from "../../authoring/mock-tools/mocks-for.ts";
import type { MockToolContent } from "../../authoring/mock-tools/rules.ts";
import type { PrivateAddresses } from "../../base/net/outbound.ts";
import type { TestStore } from "../../authoring/test-definitions/store.ts";
import type { CallerAudioOf } from "./caller-audio.ts";
import type { SimulatedCaller } from "../callers/caller.ts";
import type { ChooseCaller } from "../callers/choose-caller.ts";
import { type RunRow, type SimulationRow, snapshotOf } from "../rules.ts";
import type { Bridges } from "../lines/bridge.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import type { AgentLine } from "../lines/line.ts";
import { createMockedTools } from "../lines/mocked-tools.ts";
import type { CredentialOf } from "../lines/open-credential.ts";
import type { AccountTurns } from "../lines/account-turns.ts";
import type { PlaceCall } from "../lines/place-call.ts";
import type { ToolCallbacks } from "../lines/tool-callbacks.ts";

type PreparedSimulation = { caller: SimulatedCaller; line: AgentLine; mockedTools: string[] };

export type PrepareSimulation = (
  simulation: SimulationRow,
  run: RunRow,
  signal: AbortSignal,
) => Promise<PreparedSimulation>;

type Needs = {
  tests: TestStore;
  chooseCaller: ChooseCaller;
  credentialOf: CredentialOf;
  placeCall: PlaceCall;
  takeAccount: AccountTurns["take"];
  bridges: Bridges;
  callbacks: ToolCallbacks;
  callerAudioOf: CallerAudioOf;
  platformABaseUrl: string;
  platformARoomUrl: string;
  privateAddresses: PrivateAddresses;
  publicUrl: () => string;
  packageFolders: string[];
};

/**
 * Creates the function that prepares a simulation. The function throws a `LineFailure` when the caller or the connection to the agent
 * cannot be created.
 */
export function createPrepareSimulation({
  tests,
  chooseCaller,
  credentialOf,
  placeCall,
  takeAccount,
  publicUrl,
  callerAudioOf,
  ...lineNeeds
}: Needs): PrepareSimulation {
  return async (simulation, run, signal) => {
    const { version } = await tests.getVersion(run.project_id, simulation.test_version_id);
    const { scenario, mock_tools } = version.content;
    const projectMocks: MockToolContent[] = JSON.parse(run.mock_tools);
    const mockedTools = createMockedTools(mocksFor(mock_tools, projectMocks, run.agent_id));
    const caller = await chooseCaller(simulation, run, scenario);
    const connection = snapshotOf(run);
    const line = await lineTypeOf(connection.connectionType).createLine({
      ...lineNeeds,
      placeCall: () =>
        placeCall({
          simulationId: simulation.id,
          projectId: run.project_id,
          config: connection.config,
          waits: true,
          signal,
        }),
      takeAccount: () =>
        takeAccount({
          projectId: run.project_id,
          config: connection.config,
          holderId: `${simulation.id} ${simulation.attempt}`,
          waits: true,
          signal,
        }),
      longestWaitSeconds: Infinity,
      callerAudio: () => callerAudioOf(simulation, run),
      simulationId: simulation.id,
      attempt: simulation.attempt,
      connection,
      ...credentialOf(run.connection_id),
      mockedTools,
      publicUrl: publicUrl(),
      signal,
    });
    return { caller, line, mockedTools: mockedTools.names };
  };
}
