import { LIMITS } from "../core/limits.ts";
import { field, HTTP, secret } from "./connection-field.ts";
import type { ConnectionOption, PlayableContent } from "./connection-option.ts";
import { condition, dialKey, sipEndpoint, waitingAccount } from "./telephone-fields.ts";

const WEBSOCKET = ["ws", "wss"];

const platformAAgentId = field("platformAAgentId", "text", "Id of the agent on Retell.", {
  maxCharacters: LIMITS.nameCharacters,
});
const platformAKey = secret("apiKey", "API key of the Retell account.");
const roomUrl = field("url", "url", "URL of the media server.", { protocols: [...WEBSOCKET, ...HTTP] });
const chatEndpoint = [
  field("url", "url", "URL that receives each turn of the caller.", { protocols: HTTP }),
  field(
    "format",
    "choice",
    "Format of a turn: `openai` for OpenAI chat completions, `svc` for the service's own format.",
    {
      choices: ["openai", "svc"],
    },
  ),
  field("model", "text", "Value of `model` in OpenAI chat completions.", {
    required: false,
    maxCharacters: LIMITS.nameCharacters,
  }),
];
const audioEndpoint = [
  field("url", "url", "URL of an endpoint for the media-stream protocol of telephony providers.", {
    protocols: WEBSOCKET,
  }),
  field("codec", "choice", "Audio encoding in both directions.", { choices: ["mulaw_8k", "pcm_16k"] }),
  condition,
];
const NOTHING = { text: false, speech: false, interruptions: false, heardTimes: false, mockTools: false } as const;
const inWriting = (mockTools: boolean, limits: string): PlayableContent => ({
  ...NOTHING,
  text: true,
  mockTools,
  summary: `Simulations play text${mockTools ? " and mock tools" : ""}. ${limits}`,
});
const inSpeech = (limits: string): PlayableContent => ({
  text: false,
  speech: true,
  interruptions: true,
  heardTimes: true,
  mockTools: true,
  summary: `Simulations play speech, interruptions and mock tools, and measure times as heard. ${limits}`,
});
const bearer = secret("apiKey", "Bearer token that the service sends to the endpoint.");

/**
 * Table of all connection types. The schemas of `config` and `credential`, their error messages, and the prompts of the command
 * line derive from it.
 */
export const CONNECTION_OPTIONS = [
  {
    connectionType: "platform_a_chat_api",
    productLabel: "Retell chat",
    agentPlatform: "platform_a",
    topology: "hosted-broker",
    modalities: ["chat"],
    plays: inWriting(false, "The platform runs the agent's tools, and the conversation shows their calls."),
    accessVariants: [
      { accessVariant: "platform_a_chat_api.api_key", config: [platformAAgentId], credential: [platformAKey] },
    ],
  },
  {
    connectionType: "platform_a_web_call",
    productLabel: "Retell web call",
    agentPlatform: "platform_a",
    topology: "hosted-broker",
    modalities: ["voice"],
    plays: {
      ...inSpeech(""),
      mockTools: false,
      summary:
        "Simulations play speech and interruptions, and measure times as heard. The platform runs the agent's tools. The agent's words are known only with a speech recognition model.",
    },
    accessVariants: [
      { accessVariant: "platform_a_web_call.api_key", config: [platformAAgentId], credential: [platformAKey] },
    ],
  },
  {
    connectionType: "platform_b_room",
    productLabel: "LiveKit Agents room",
    agentPlatform: "platform_b_agents",
    topology: "agent-dials-out",
    modalities: ["voice", "chat"],
    plays: inSpeech(
      "The agent's words come from its own transcription. The mock tools answer an agent whose worker uses the helper of this service.",
    ),
    accessVariants: [
      {
        accessVariant: "platform_b_room.project_credentials",
        config: [
          roomUrl,
          field("agentName", "text", "Name by which the worker receives dispatches.", {
            required: false,
            maxCharacters: LIMITS.nameCharacters,
          }),
          field("metadata", "text", "Metadata that the worker receives with each dispatch.", {
            required: false,
            maxCharacters: LIMITS.connectionConfigBytes,
          }),
          condition,
        ],
        credential: [
          secret("apiKey", "API key of the LiveKit project."),
          secret("apiSecret", "Secret of the API key."),
        ],
      },
      {
        accessVariant: "platform_b_room.customer_token_endpoint",
        config: [
          roomUrl,
          field("tokenEndpoint", "url", "URL of your endpoint that issues room tokens.", { protocols: HTTP }),
          condition,
        ],
        credential: [secret("headers", "Headers that your token endpoint requires.", "headers")],
      },
    ],
  },
  {
    connectionType: "phone_number",
    productLabel: "Phone number",
    agentPlatform: null,
    topology: "svc-dials-in",
    modalities: ["voice"],
    plays: inSpeech(
      "The service calls the number over a trunk of the project, which must allow the number. The agent's words are known only with a speech recognition model. The agent gets the address of the mock tools only when the trunk passes on the headers of the INVITE.",
    ),
    accessVariants: [
      {
        accessVariant: "phone_number.public_e164",
        config: [
          field("phoneNumber", "phone", "Phone number that the service calls, in E.164.", { maxCharacters: 16 }),
          field(
            "trunk",
            "text",
            "Id or name of the trunk that carries the call. Needed when the project has several.",
            {
              required: false,
              maxCharacters: LIMITS.nameCharacters,
            },
          ),
          condition,
        ],
        credential: [],
      },
    ],
  },
  {
    connectionType: "incoming_call",
    productLabel: "Incoming call",
    agentPlatform: null,
    topology: "agent-dials-out",
    modalities: ["voice"],
    plays: inSpeech(
      "The service registers at a SIP registrar and waits; the agent calls it. The agent's words are known only with a speech recognition model. The agent gets the address of the mock tools in the headers of the answer, or by `dialUrl`.",
    ),
    accessVariants: [
      {
        accessVariant: "incoming_call.digest",
        config: waitingAccount,
        credential: [
          secret("password", "Password of the account at its registrar."),
          secret("user", "User name of the password.", "secret", 1),
          dialKey,
        ],
      },
      { accessVariant: "incoming_call.public", config: waitingAccount, credential: [] },
    ],
  },
  {
    connectionType: "platform_b_console",
    productLabel: "LiveKit Agents console",
    agentPlatform: "platform_b_agents",
    topology: "agent-dials-out",
    modalities: ["chat"],
    plays: inWriting(
      true,
      "The command line starts the agent on your machine and speaks to it by text: `svc runs start --agent-command`.",
    ),
    accessVariants: [
      {
        accessVariant: "platform_b_console.process",
        config: [
          field(
            "command",
            "text",
            "Command that starts the agent. The `svc` command line runs it; the service never does.",
          ),
        ],
        credential: [],
      },
    ],
  },
  {
    connectionType: "http_chat",
    productLabel: "HTTP chat endpoint",
    agentPlatform: null,
    topology: "svc-dials-in",
    modalities: ["chat"],
    plays: inWriting(
      true,
      "With the format `openai`, tool calls in the agent's answer are mocked; with `svc`, the agent calls the mock tools.",
    ),
    accessVariants: [
      { accessVariant: "http_chat.public", config: chatEndpoint, credential: [] },
      { accessVariant: "http_chat.bearer", config: chatEndpoint, credential: [bearer] },
    ],
  },
  {
    connectionType: "websocket_audio",
    productLabel: "WebSocket audio endpoint",
    agentPlatform: null,
    topology: "svc-dials-in",
    modalities: ["voice"],
    plays: inSpeech(
      "The agent's words are known only with a speech recognition model. The agent calls the mock tools at the address in the `start` message.",
    ),
    accessVariants: [
      { accessVariant: "websocket_audio.public", config: audioEndpoint, credential: [] },
      { accessVariant: "websocket_audio.bearer", config: audioEndpoint, credential: [bearer] },
    ],
  },
  {
    connectionType: "sip",
    productLabel: "SIP endpoint",
    agentPlatform: null,
    topology: "svc-dials-in",
    modalities: ["voice"],
    plays: inSpeech(
      "The agent's words are known only with a speech recognition model. The agent calls the mock tools at the address in the headers of the INVITE. The type phone_number calls telephone numbers.",
    ),
    accessVariants: [
      { accessVariant: "sip.public", config: sipEndpoint, credential: [] },
      {
        accessVariant: "sip.digest",
        config: sipEndpoint,
        credential: [
          secret("password", "Password that answers the endpoint's challenge."),
          secret("user", "User name of the password.", "secret", 1),
        ],
      },
    ],
  },
  {
    connectionType: "sample_agent",
    productLabel: "Sample booking agent",
    agentPlatform: null,
    topology: "svc-dials-in",
    modalities: ["chat"],
    plays: inWriting(true, "The agent runs inside the service."),
    accessVariants: [{ accessVariant: "sample_agent.built_in", config: [], credential: [] }],
  },
] as const satisfies ConnectionOption[];

/** Name of a connection type. */
export type ConnectionType = (typeof CONNECTION_OPTIONS)[number]["connectionType"];
/** Name of an access variant. */
export type AccessVariant = (typeof CONNECTION_OPTIONS)[number]["accessVariants"][number]["accessVariant"];

/** Names of all connection types. */
export const CONNECTION_TYPES = CONNECTION_OPTIONS.map(({ connectionType }) => connectionType) as [
  ConnectionType,
  ...ConnectionType[],
];
/** Names of all access variants. Each name begins with its connection type and a dot. */
export const ACCESS_VARIANTS = CONNECTION_OPTIONS.flatMap(({ accessVariants }) =>
  accessVariants.map(({ accessVariant }) => accessVariant),
) as [AccessVariant, ...AccessVariant[]];

/** Returns the entry of a connection type in `CONNECTION_OPTIONS`. */
export const connectionOption = (type: ConnectionType): ConnectionOption =>
  CONNECTION_OPTIONS.find(({ connectionType }) => connectionType === type)!;
