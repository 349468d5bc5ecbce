import { type ConnectionTry, LIMITS, TRY_MESSAGE } from "@svc/contract";
import type { Project } from "../../access/caller.ts";
import type { ConnectionStore } from "../../agents/connections/store.ts";
import { AppError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { mocksFor } from "../../authoring/mock-tools/mocks-for.ts";
import type { MockToolStore } from "../../authoring/mock-tools/store.ts";
import { agentArchived } from "../rules.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import { conditionOf, type LineContext } from "../lines/line-type.ts";
import type { CredentialOf } from "../lines/open-credential.ts";
import type { AccountTurns } from "../lines/account-turns.ts";
import type { PlaceCall } from "../lines/place-call.ts";
import type { AgentLine } from "../lines/line.ts";
import { createMockedTools } from "../lines/mocked-tools.ts";
import { holdConversation } from "./hold-conversation.ts";
import type { TryLimits } from "./limits.ts";
import type { OpenConversations } from "./open-conversations.ts";
import type { createTryAudio, TryAudio } from "./try-audio.ts";

export type TryOrder = {
  project: Project;
  organizationId: string;
  agentId: string;
  connectionId: string;
  message?: string | undefined;
  furtherMessages?: readonly string[] | undefined;
  staysOpen?: boolean | undefined;
  conversationId?: string | undefined;
};

type TryConnection = (order: TryOrder, signal: AbortSignal) => Promise<ConnectionTry>;

type Needs = Pick<
  LineContext,
  "callbacks" | "bridges" | "platformABaseUrl" | "platformARoomUrl" | "privateAddresses" | "packageFolders"
> & {
  connections: ConnectionStore;
  mockTools: MockToolStore;
  limits: TryLimits;
  openConversations: OpenConversations;
  publicUrl: () => string;
  credentialOf: CredentialOf;
  placeCall: PlaceCall;
  takeAccount: AccountTurns["take"];
  callerAudioOf: (call: Parameters<typeof createTryAudio>[1], signal: AbortSignal) => ReturnType<typeof createTryAudio>;
};

export function createTryConnection({
  connections,
  mockTools,
  limits,
  openConversations,
  callerAudioOf,
  credentialOf,
  placeCall,
  takeAccount,
  ...lineNeeds
}: Needs): TryConnection {
  return async (order, signal) => {
    const { project, organizationId, agentId, connectionId, conversationId, staysOpen = false } = order;
    const { furtherMessages = [] } = order;
    const message = order.message ?? (conversationId === undefined ? TRY_MESSAGE : undefined);
    const messages = message === undefined ? furtherMessages : [message, ...furtherMessages];
    const { agent, connection } = await connections.get(project.id, agentId, connectionId);
    if (agent.archived_at !== null) throw agentArchived();
    if (connection.archived_at !== null)
      throw new AppError("conflict", "The connection is archived; restore it, then try it.");
    const lineType = lineTypeOf(connection.connection_type);
    if (lineType.untried !== undefined) return notTried(lineType.untried);

    if (lineType.carriesSound && (furtherMessages.length > 0 || staysOpen || conversationId !== undefined))
      throw new AppError(
        "unprocessable",
        "In a call, the caller says one message. Leave out furtherMessages, staysOpen and conversationId, or try a connection in writing.",
      );
    if (messages.length === 0 && staysOpen)
      throw new AppError("unprocessable", "Give a message to say, or leave out staysOpen to end the conversation.");

    const release = await limits.take(
      organizationId,
      lineType.carriesSound ? "call" : conversationId === undefined ? "writing" : "further",
    );
    let callerAudio: TryAudio | undefined;
    try {
      if (conversationId !== undefined)
        return await openConversations.say(
          conversationId,
          { projectId: project.id, connectionId, messages, staysOpen },
          signal,
        );
      // The id has the form of a simulation's id, because agents may check it. No simulation with this id exists.
      const simulationId = newId("sim");
      const mocks = mocksFor([], await mockTools.listOfAgent(project.id, agentId), agentId);
      const config = JSON.parse(connection.config);
      const createLine = async (within: AbortSignal) => {
        const wanted = {
          organizationId,
          callId: `${simulationId}_1`,
          message: messages[0]!,
          condition: conditionOf(config),
        };
        if (lineType.carriesSound) callerAudio = await callerAudioOf(wanted, within);
        return lineType.createLine({
          ...lineNeeds,
          simulationId,
          attempt: 1,
          connection: {
            connectionType: connection.connection_type,
            accessVariant: connection.access_variant,
            config,
          },
          placeCall: () => placeCall({ simulationId, projectId: project.id, config, waits: false, signal: within }),
          takeAccount: () =>
            takeAccount({ projectId: project.id, config, holderId: simulationId, waits: false, signal: within }),
          longestWaitSeconds: LIMITS.connectionTryWaitSeconds,
          ...credentialOf(connectionId),
          mockedTools: createMockedTools(mocks),
          callerAudio: async () => callerAudio!,
          publicUrl: lineNeeds.publicUrl(),
          signal: within,
        });
      };
      const talk = {
        createLine,
        silenceHint: lineType.silenceHint?.(config),
        connectedAtMs: () => callerAudio?.connectedAtMs() ?? null,
      };
      const { tried, openLine } = await holdConversation({ ...talk, messages, staysOpen, signal });
      if (openLine === null) return { ...tried, openConversation: null };
      const conversation = {
        organizationId,
        projectId: project.id,
        connectionId,
        goOn: (line: AgentLine, further: { messages: readonly string[]; staysOpen: boolean }, within: AbortSignal) =>
          holdConversation({ ...talk, ...further, openLine: line, signal: within }),
      };
      return {
        ...tried,
        openConversation: openConversations.keep(simulationId, conversation, openLine, messages.length),
      };
    } finally {
      await release();
      await callerAudio?.discard();
    }
  };
}

const notTried = (message: string): ConnectionTry => ({
  result: "not_tried",
  message,
  endingReason: null,
  endedBy: null,
  steps: [],
  turns: [],
  toolCalls: [],
  sound: null,
  line: null,
  openConversation: null,
  startedAt: new Date().toISOString(),
  durationMs: 0,
});
