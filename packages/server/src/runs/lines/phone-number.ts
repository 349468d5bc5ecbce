import { LIMITS, type SipTransport } from "@svc/contract";
import { createCallLine } from "./call-line.ts";
import { LineFailure } from "./line.ts";
import type { LineType } from "./line-type.ts";
import { headersOfInvite, sip } from "./sip.ts";
import { callWithTools } from "./tool-callbacks.ts";

/** Telephone number, which is called over SIP through a trunk of the project. */
export const phoneNumber: LineType = {
  async createLine(context) {
    const { simulationId, attempt, mockedTools, callbacks, privateAddresses, signal } = context;
    if (attempt > LIMITS.callsPerSimulation)
      throw new LineFailure(
        "call_not_placed",
        `${LIMITS.callsPerSimulation} attempts at this simulation were interrupted, and the service calls a number no more often.`,
      );
    const callerAudio = await context.callerAudio();
    const { phoneNumber: number, trunk, credential } = await context.placeCall();
    const [address, transport = "udp"] = trunk.address.toLowerCase().split(";transport=");
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    const line = createCallLine(
      {
        kind: "sip",
        uri: `sip:${number}@${address}`,
        transport: transport as SipTransport,
        outboundProxy: undefined,
        account: undefined,
        caller: `sip:${trunk.caller_id}@${address!.split(":")[0]}`,
        maxSeconds: trunk.max_call_seconds,
        credential,
        headers: headersOfInvite(context, callback.token),
        privateAddresses,
      },
      callerAudio,
    );
    return callWithTools(line, callback);
  },
  callsNumber: true,
  toolsVisible: sip.toolsVisible,
  sendsOwnSpans: false,
  carriesSound: true,
};
