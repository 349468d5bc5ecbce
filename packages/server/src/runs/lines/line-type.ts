import type { ConnectionCredential, LineCondition } from "@svc/contract";
import type { PrivateAddresses } from "../../base/net/outbound.ts";
import type { ConnectionSnapshot } from "../rules.ts";
import type { MockedTools } from "./mocked-tools.ts";
import type { ToolCallbacks } from "./tool-callbacks.ts";
import type { Bridges } from "./bridge.ts";
import type { AgentLine } from "./line.ts";
import type { PermittedCall } from "./place-call.ts";
import type { CallerAudio } from "./call-line.ts";

/** Returns the condition that a connection gives its calls with sound. */
export const conditionOf = ({ line = "good" }: ConnectionSnapshot["config"]): LineCondition => line as LineCondition;

export type LineContext = {
  simulationId: string;
  attempt: number;
  connection: ConnectionSnapshot;
  /** Rejects with a `LineFailure` when the credential cannot be decrypted. */
  apiKey: () => Promise<string>;
  /** Returns the connection's whole credential; rejects as `apiKey` does. */
  credential: () => Promise<ConnectionCredential>;
  mockedTools: MockedTools;
  callbacks: ToolCallbacks;
  bridges: Bridges;
  /** Counts one call of the connection's number. Rejects with a `LineFailure` when the trunk does not permit the call. */
  placeCall: () => Promise<PermittedCall>;
  /** Waits for the turn at the connection's account, at which one simulation waits for a call at a time. Returns what ends the turn. */
  takeAccount: () => Promise<() => Promise<void>>;
  /** Longest wait for a call, whatever the connection says. */
  longestWaitSeconds: number;
  /** Rejects with a `LineFailure` when the caller cannot speak. */
  callerAudio: () => Promise<CallerAudio>;
  platformABaseUrl: string;
  platformARoomUrl: string;
  privateAddresses: PrivateAddresses;
  publicUrl: string;
  packageFolders: string[];
  signal: AbortSignal;
};

type LinePlan = Pick<LineContext, "connection" | "packageFolders"> & {
  toolNames: readonly (readonly string[])[];
};

export type LineType = {
  createLine: (context: LineContext) => Promise<AgentLine>;
  /** Whether the service receives every tool call of the agent. If not, a missing call proves nothing. */
  toolsVisible: (config: ConnectionSnapshot["config"]) => boolean;
  /**
   * True if only a tool call of the agent could show that it ends the conversation. While its tool calls are not visible, it is then
   * unknown whether it did.
   */
  endsOnlyByTool?: (config: ConnectionSnapshot["config"]) => boolean;
  /** Whether the agent sends its own spans about its turns. The service then writes no spans for the turns and tool calls. */
  sendsOwnSpans: boolean;
  /** Simulations with sound have their own, lower concurrency limit. */
  carriesSound: boolean;
  /** Whether the line calls a telephone number over a trunk. */
  callsNumber?: true;
  /** Whether the line waits for a call of the agent. */
  awaitsCall?: true;
  /** Whether the line delivers the agent's words as text, so that the service needs no speech recognition. */
  transcribesAgent?: true;
  refusalOfPlan?: (plan: LinePlan) => string | undefined;
  /** Sentence that explains why the service cannot try a connection of this type, and what to do instead. */
  untried?: string;
  silenceHint?: (config: ConnectionSnapshot["config"]) => string;
  warning?: string;
};
