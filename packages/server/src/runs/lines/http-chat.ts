import type { ChatEndpoint } from "./chat-endpoint.ts";
import type { LineType } from "./line-type.ts";
import { openAiChat } from "./openai-chat.ts";
import { svcChat } from "./svc-chat.ts";

/** HTTP endpoint that receives one request per turn, in the format that the connection names. */
export const httpChat: LineType = {
  async createLine({ simulationId, connection, apiKey, mockedTools, callbacks, privateAddresses, publicUrl, signal }) {
    const { accessVariant, config } = connection;
    const endpoint: ChatEndpoint = {
      privateAddresses,
      url: new URL(config.url!),
      headers: accessVariant === "http_chat.bearer" ? { authorization: `Bearer ${await apiKey()}` } : {},
    };
    if (config.format === "openai") return openAiChat(endpoint, config.model, mockedTools.use);
    const callback = callbacks.begin(simulationId, mockedTools.use, signal);
    const url = `${publicUrl}/v1/simulations/${simulationId}/tools/`;
    return svcChat(endpoint, {
      simulationId,
      tools: { names: mockedTools.names, url, token: callback.token },
      callback,
    });
  },
  /** An agent with the OpenAI format may use tools that do not appear in its answers. */
  toolsVisible: ({ format }) => format !== "openai",
  endsOnlyByTool: ({ format }) => format === "openai",
  sendsOwnSpans: false,
  carriesSound: false,
};
