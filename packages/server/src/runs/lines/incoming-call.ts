import {
  CALL_WAIT_SECONDS,
  callersProblem,
  type RunPlan,
  sipAccountProblem,
  type SipTransport,
  sipUriProblem,
} from "@svc/contract";
import type { ConnectionSnapshot } from "../rules.ts";
import { soleAccountOf } from "./account-turns.ts";
import { createCallLine } from "./call-line.ts";
import { LineFailure } from "./line.ts";
import type { LineType } from "./line-type.ts";
import { requesting } from "./request-call.ts";
import { headersOfInvite } from "./sip.ts";
import { callWithTools } from "./tool-callbacks.ts";

/** Returns what the plan of a run says about the calls of the agent. */
export function plannedCallsOf({ config }: ConnectionSnapshot): NonNullable<RunPlan["incomingCalls"]> {
  const { account, number, callers, matching, waitSeconds, dialUrl } = config;
  return {
    number: number ?? account!,
    callers: callers!,
    matching: matching === "header" ? "header" : "account",
    waitSeconds: Number(waitSeconds ?? CALL_WAIT_SECONDS),
    dialUrl: dialUrl ?? null,
  };
}

/** Call of the agent to a SIP account, at which the service waits. */
export const incomingCall: LineType = {
  async createLine(context) {
    const { simulationId, attempt, connection, mockedTools, callbacks, privateAddresses, longestWaitSeconds, signal } =
      context;
    const { accessVariant, config } = connection;
    const { account, outboundProxy, transport, dialUrl } = config;
    // The rules for addresses can have become stricter since the connection was stored.
    const problem =
      sipAccountProblem(account!) ??
      callersProblem(config["callers"]!) ??
      (outboundProxy === undefined ? undefined : sipUriProblem(outboundProxy));
    if (problem !== undefined) throw new LineFailure("connection_refused", problem);
    const secrets = accessVariant === "incoming_call.digest" ? await context.credential() : undefined;
    const callerAudio = await context.callerAudio();
    const endTurn = soleAccountOf(connection) === undefined ? async () => {} : await context.takeAccount();
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    const headers = headersOfInvite(context, callback.token);
    const { number, callers, matching, waitSeconds } = plannedCallsOf(connection);
    const tools = { names: mockedTools.names, url: headers["X-Svc-Tools-Url"]!, token: callback.token };
    const dialKey = secrets?.["dialKey"] as string | undefined;
    const request = dialUrl && { dialUrl, dialKey, number, simulationId, attempt, tools, privateAddresses };
    const line = createCallLine(
      {
        kind: "incoming_call",
        simulationId,
        account: account!,
        transport: (transport ?? "udp") as SipTransport,
        outboundProxy,
        credential: secrets && { user: secrets["user"] as string, password: secrets["password"] as string },
        callers,
        matching,
        waitSeconds: Math.min(waitSeconds, longestWaitSeconds),
        headers,
        privateAddresses,
      },
      request ? requesting(callerAudio, request, signal) : callerAudio,
    );
    const withTools = callWithTools(line, callback);
    return {
      ...withTools,
      async close() {
        await withTools.close();
        await endTurn();
      },
    };
  },
  awaitsCall: true,
  toolsVisible: () => false,
  sendsOwnSpans: false,
  carriesSound: true,
  silenceHint: () => "Check that the agent sends its sound as PCMU, PCMA or G.722 over RTP.",
};
