import type { ConnectionCredential } from "@svc/contract";
import type { PrivateAddresses } from "../../base/net/outbound.ts";
import type { ConnectionSnapshot } from "../rules.ts";
import type { MockedTools } from "./mocked-tools.ts";
import type { ToolCallbacks } from "./tool-callbacks.ts";
import type { Bridges } from "./bridge.ts";
import type { AgentLine } from "./line.ts";
import type { CallerAudio } from "./call-line.ts";

/** Everything that a line can use to reach the agent of one simulation. */
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
  /** Takes the calls of mocked tools from agents that run elsewhere. */
  callbacks: ToolCallbacks;
  bridges: Bridges;
  /** Returns the caller's way to place a call with sound; a `LineFailure` says why the caller cannot speak. */
  callerAudio: () => Promise<CallerAudio>;
  platformABaseUrl: string;
  /** Whether the agent's address may be private. */
  privateAddresses: PrivateAddresses;
  /** The address at which agents reach the service. */
  publicUrl: string;
  /** Folders with packages that are installed on demand. */
  packageFolders: string[];
  signal: AbortSignal;
};

/** The content that a run will play over a connection. */
type LinePlan = Pick<LineContext, "connection" | "packageFolders"> & {
  /** The names of the mocked tools in the simulations of each test. */
  toolNames: readonly (readonly string[])[];
};

/** How simulations run over one connection type. */
export type LineType = {
  createLine: (context: LineContext) => Promise<AgentLine>;
  /** Whether every tool call of the agent becomes visible. If not, the absence of a call proves nothing. */
  toolsVisible: (config: ConnectionSnapshot["config"]) => boolean;
  /** Whether the agent sends spans about its turns, which would duplicate the service's spans. */
  sendsOwnSpans: boolean;
  /** Whether the caller and the agent speak. Such simulations are calls, and few are played at once. */
  carriesSound: boolean;
  /** Whether the line itself delivers the agent's words as text. */
  transcribesAgent?: true;
  /** Returns why simulations cannot be played as planned; undefined when they can. */
  refusalOfPlan?: (plan: LinePlan) => string | undefined;
  /** A sentence that says why the service cannot try such a connection, and what to do. */
  untried?: string;
  /** Returns a sentence that says what may keep an agent silent, and how to remedy it. */
  silenceHint?: (config: ConnectionSnapshot["config"]) => string;
  /** A sentence in each plan that says what the user must do. */
  warning?: string;
};
