import type { ConnectionCredential } from "@svc/contract";
import type { PrivateAddresses } from "../../base/net/outbound.ts";
import type { ConnectionSnapshot } from "../rules.ts";
import type { MockedTools } from "./mocked-tools.ts";
import type { ToolCallbacks } from "./tool-callbacks.ts";
import type { Bridges } from "./bridge.ts";
import type { AgentLine } from "./line.ts";
import type { CallerAudio } from "./call-line.ts";

/** Values and functions that a line can use to reach the agent of one simulation. */
export type LineContext = {
  simulationId: string;
  attempt: number;
  connection: ConnectionSnapshot;
  /**
   * Returns the API key of the connection's credential; rejects with a `LineFailure` when the credential cannot be decrypted.
   */
  apiKey: () => Promise<string>;
  /** Returns the connection's whole credential; rejects as `apiKey` does. */
  credential: () => Promise<ConnectionCredential>;
  mockedTools: MockedTools;
  /** Accepts calls of mocked tools over HTTP from agents. */
  callbacks: ToolCallbacks;
  bridges: Bridges;
  /** Returns the functions for a call with sound. Rejects with a `LineFailure` when the caller cannot speak. */
  callerAudio: () => Promise<CallerAudio>;
  platformABaseUrl: string;
  /** Whether the agent's address may be private. */
  privateAddresses: PrivateAddresses;
  /** Base URL at which agents reach the service. */
  publicUrl: string;
  /** Folders with packages that are installed on demand. */
  packageFolders: string[];
  signal: AbortSignal;
};

/** Connection and mocked tools of a planned run. */
type LinePlan = Pick<LineContext, "connection" | "packageFolders"> & {
  /** Names of the mocked tools, one list for each test. */
  toolNames: readonly (readonly string[])[];
};

/** Properties of simulations over one connection type, and the function that creates their lines. */
export type LineType = {
  createLine: (context: LineContext) => Promise<AgentLine>;
  /** Whether the service receives every tool call of the agent. If not, a missing call proves nothing. */
  toolsVisible: (config: ConnectionSnapshot["config"]) => boolean;
  /** Whether the agent sends its own spans about its turns. The service then writes no spans for the turns and tool calls. */
  sendsOwnSpans: boolean;
  /** Whether the caller and the agent speak. Simulations with sound have their own, lower concurrency limit. */
  carriesSound: boolean;
  /** Whether the line delivers the agent's words as text, so that the service needs no speech recognition. */
  transcribesAgent?: true;
  /** Returns the reason why simulations cannot be played as planned; undefined when they can be played. */
  refusalOfPlan?: (plan: LinePlan) => string | undefined;
  /** Sentence that explains why the service cannot try a connection of this type, and what to do instead. */
  untried?: string;
  /** Returns a sentence with a likely cause of a silent agent and its fix. */
  silenceHint?: (config: ConnectionSnapshot["config"]) => string;
  /** Sentence for each plan that tells the user what to do. */
  warning?: string;
};
