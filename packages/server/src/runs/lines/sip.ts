import { sipAccountProblem, type SipTransport, sipUriProblem } from "@svc/contract";
import { createCallLine } from "./call-line.ts";
import { LineFailure } from "./line.ts";
import type { LineContext, LineType } from "./line-type.ts";
import { callWithTools } from "./tool-callbacks.ts";

export const headersOfInvite = ({ simulationId, publicUrl }: LineContext, token: string): Record<string, string> => ({
  "X-Svc-Simulation": simulationId,
  "X-Svc-Tools-Url": `${publicUrl}/v1/simulations/${simulationId}/tools/`,
  "X-Svc-Tools-Token": token,
});

export const sip: LineType = {
  async createLine(context) {
    const { simulationId, connection, mockedTools, callbacks, privateAddresses, signal } = context;
    const { accessVariant, config } = connection;
    const { uri, outboundProxy, account, transport } = config;
    // The rules for addresses can have become stricter since the connection was stored.
    const problem =
      sipUriProblem(uri!) ??
      (outboundProxy === undefined ? undefined : sipUriProblem(outboundProxy)) ??
      (account === undefined ? undefined : sipAccountProblem(account));
    if (problem !== undefined) throw new LineFailure("connection_refused", problem);
    const secrets = accessVariant === "sip.digest" ? await context.credential() : undefined;
    const callerAudio = await context.callerAudio();
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    const line = createCallLine(
      {
        kind: "sip",
        uri: uri!,
        transport: (transport ?? "udp") as SipTransport,
        outboundProxy,
        account,
        credential: secrets && { user: secrets["user"] as string, password: secrets["password"] as string },
        caller: undefined,
        maxSeconds: undefined,
        headers: headersOfInvite(context, callback.token),
        privateAddresses,
      },
      callerAudio,
    );
    return callWithTools(line, callback);
  },
  /** The agent may call tools that the service does not mock and never sees. */
  toolsVisible: () => false,
  sendsOwnSpans: false,
  carriesSound: true,
  silenceHint: () => "Check that the agent sends its sound as PCMU, PCMA or G.722 over RTP.",
};
