import type { Codec } from "../../voice/calls/call.ts";
import { createCallLine } from "./call-line.ts";
import { callWithTools } from "./tool-callbacks.ts";
import type { LineType } from "./line-type.ts";

/** WebSocket endpoint with the media-stream protocol of telephony providers. */
export const websocketAudio: LineType = {
  async createLine({
    simulationId,
    connection,
    apiKey,
    mockedTools,
    callbacks,
    privateAddresses,
    publicUrl,
    signal,
    callerAudio,
  }) {
    const { accessVariant, config } = connection;
    const headers: Record<string, string> =
      accessVariant === "websocket_audio.bearer" ? { authorization: `Bearer ${await apiKey()}` } : {};
    const caller = await callerAudio();
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    const line = createCallLine(
      {
        kind: "media_stream",
        url: config["url"]!,
        headers,
        codec: config["codec"] as Codec,
        privateAddresses,
        parameters: {
          svc_simulation_id: simulationId,
          svc_tools_url: `${publicUrl}/v1/simulations/${simulationId}/tools/`,
          svc_tools_token: callback.token,
        },
      },
      caller,
    );
    return callWithTools(line, callback);
  },
  /** The agent may call tools that the service does not mock and never sees. */
  toolsVisible: () => false,
  sendsOwnSpans: false,
  carriesSound: true,
  silenceHint: ({ codec }) =>
    `With another codec or sample rate than the connection's ${codec}, each side hears noise: check what the agent reads and sends.`,
};
