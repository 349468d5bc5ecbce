import { z } from "zod";
import { missingRoomPackage } from "../../voice/calls/lines/room/room-package.ts";
import { askAgent } from "./ask-agent.ts";
import { createCallLine } from "./call-line.ts";
import { type AgentLine, LineFailure } from "./line.ts";
import type { LineContext, LineType } from "./line-type.ts";
import { addressFor } from "./room/media-server.ts";

/** Web call of platform_a. The platform runs the agent and its tools, and admits the caller to a room of its media server. */
export const platformAWebCall: LineType = {
  async createLine(context) {
    const { packageFolders, platformARoomUrl } = context;
    const problem = missingRoomPackage(packageFolders);
    if (problem !== undefined) throw new LineFailure("simulator_error", problem);
    const callerAudio = await context.callerAudio();
    let line: AgentLine | undefined;
    return {
      carriesSound: true,
      async open(within, hear) {
        const order = {
          kind: "room",
          url: addressFor("ws", platformARoomUrl),
          token: await createWebCall(context, within),
          packageFolders,
          privateAddresses: "allow",
        } as const;
        line = createCallLine(order, callerAudio);
        return line.open(within, hear);
      },
      say: (text, within, hear) => line!.say(text, within, hear),
      partFrom: (within) => line!.partFrom!(within),
      close: async () => line?.close(),
      outcome: () => line?.outcome!() ?? null,
    };
  },
  /** The platform runs the tools, and no message of the call shows them. */
  toolsVisible: () => false,
  sendsOwnSpans: false,
  carriesSound: true,
  refusalOfPlan: ({ packageFolders }) => missingRoomPackage(packageFolders),
};

const WebCall = z.object({ access_token: z.string().min(1).max(10_000), transport: z.string().optional() });

/** Registers a call with the platform. Returns the token that admits the caller to the call's room. */
async function createWebCall(
  { platformABaseUrl, apiKey, connection }: LineContext,
  signal: AbortSignal,
): Promise<string> {
  const made = await askAgent(
    {
      method: "POST",
      url: new URL("v2/create-web-call", `${platformABaseUrl}/`),
      headers: { authorization: `Bearer ${await apiKey()}` },
      json: { agent_id: connection.config.platformAAgentId! },
      once: true,
      privateAddresses: "allow",
    },
    { first: true, signal },
  ).catch((error: unknown) => {
    throw isOfAgent(error) ? notOpened(error.message) : error;
  });
  const call = WebCall.safeParse(made);
  if (!call.success) throw notOpened("It answered with something that is not a web call.");
  if (call.data.transport !== undefined)
    throw notOpened(`It offers its web calls only over ${JSON.stringify(call.data.transport.slice(0, 50))}.`);
  return call.data.access_token;
}

const isOfAgent = (error: unknown): error is LineFailure =>
  error instanceof LineFailure && (error.reason === "agent_error" || error.reason === "agent_never_joined");

/** The agent is not the cause, because the platform did not start an agent. */
const notOpened = (why: string) =>
  new LineFailure(
    "connection_refused",
    `The platform opened no web call; check the connection's platformAAgentId. ${why}`,
  );
