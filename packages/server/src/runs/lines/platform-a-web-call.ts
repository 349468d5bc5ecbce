import { z } from "zod";
import { missingRoomPackage } from "../../voice/calls/lines/room/room-package.ts";
import { createCallLine } from "./call-line.ts";
import { type AgentLine, LineFailure } from "./line.ts";
import type { LineContext, LineType } from "./line-type.ts";
import { beginOnPlatformA, notBegun } from "./platform-a.ts";
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

const WEB_CALL = "web call";
const WebCall = z.object({ access_token: z.string().min(1).max(10_000), transport: z.string().optional() });

/** Registers a call with the platform. Returns the token that admits the caller to the call's room. */
async function createWebCall(context: LineContext, signal: AbortSignal): Promise<string> {
  const asked = { ...context, apiKey: await context.apiKey() };
  const made = await beginOnPlatformA(asked, { path: "v2/create-web-call", what: WEB_CALL }, signal);
  const call = WebCall.safeParse(made);
  if (!call.success) throw notBegun(WEB_CALL, "It answered with something that is not a web call.");
  const { access_token: token, transport } = call.data;
  if (transport === undefined) return token;
  throw notBegun(WEB_CALL, `It offers its web calls only over ${JSON.stringify(transport.slice(0, 50))}.`);
}
