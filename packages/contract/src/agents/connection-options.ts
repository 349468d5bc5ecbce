import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { positive } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";

/**
 * Where an agent runs: `platform_a` is a hosted platform that speaks the Retell API, `platform_b_agents` is a LiveKit
 * Agents worker, `custom` is everything else.
 */
export const AGENT_PLATFORMS = ["platform_a", "platform_b_agents", "custom"] as const;
/** One of `AGENT_PLATFORMS`. */
export type AgentPlatform = (typeof AGENT_PLATFORMS)[number];

/** What a connection carries: speech, or text alone. */
export const MODALITIES = ["voice", "chat"] as const;
/** One of `MODALITIES`. */
export type Modality = (typeof MODALITIES)[number];

/**
 * Who opens the connection: the hosted platform brings both sides together (`hosted-broker`), the agent comes to the
 * service (`agent-dials-out`), or the service calls the agent (`svc-dials-in`).
 */
export const TOPOLOGIES = ["hosted-broker", "agent-dials-out", "svc-dials-in"] as const;

const TEXT_CHARACTERS = 2_000;

const ConfigField = z
  .strictObject({
    name: z.string().meta({ description: "Member of the connection's `config`." }),
    kind: z.enum(["text", "url", "phone", "choice"]).meta({ description: "`phone` is E.164: `+` and 7 to 15 digits." }),
    required: z.boolean(),
    description: z.string(),
    maxCharacters: positive(),
    protocols: z.array(z.string()).optional().meta({ description: "Of a `url`: those it may begin with." }),
    choices: z.array(z.string()).optional().meta({ description: "Of a `choice`: the values it takes." }),
  })
  .meta({ id: "ConfigField" });
export type ConfigField = z.infer<typeof ConfigField>;

const CredentialField = z
  .strictObject({
    name: z.string().meta({ description: "Member of the connection's `credential`." }),
    kind: z
      .enum(["secret", "headers"])
      .meta({ description: "`headers` is an object of HTTP header names and their values." }),
    required: z.boolean(),
    description: z.string(),
    minCharacters: positive(),
    maxCharacters: positive(),
  })
  .meta({ id: "CredentialField" });
export type CredentialField = z.infer<typeof CredentialField>;

const AccessVariant = z
  .strictObject({
    accessVariant: z.string(),
    config: z.array(ConfigField),
    credential: z.array(CredentialField).meta({ description: "Empty when the connection needs no secret." }),
  })
  .meta({ id: "AccessVariant" });

/** One type of connection with everything that a form for it needs. */
export const ConnectionOption = z
  .strictObject({
    connectionType: z.string(),
    productLabel: z.string().meta({ description: "Name for people." }),
    agentPlatform: z
      .enum(AGENT_PLATFORMS)
      .nullable()
      .meta({ description: "The platform whose agents it reaches; null when any agent may have one." }),
    topology: z.enum(TOPOLOGIES),
    modalities: z.array(z.enum(MODALITIES)).meta({ description: "The first is the default." }),
    accessVariants: z.array(AccessVariant).meta({ description: "The first is the default." }),
  })
  .meta({ id: "ConnectionOption" });
export type ConnectionOption = z.infer<typeof ConnectionOption>;

type Extra = Partial<Pick<ConfigField, "required" | "maxCharacters" | "protocols" | "choices">>;

const field = (name: string, kind: ConfigField["kind"], description: string, extra: Extra = {}): ConfigField => ({
  name,
  kind,
  required: true,
  description,
  maxCharacters: TEXT_CHARACTERS,
  ...extra,
});

const secret = (
  name: string,
  description: string,
  kind: CredentialField["kind"] = "secret",
  minCharacters: number = LIMITS.credentialCharactersMin,
): CredentialField => ({
  name,
  kind,
  required: true,
  description,
  minCharacters,
  maxCharacters: LIMITS.credentialCharactersMax,
});

const HTTP = ["http", "https"];
const WEBSOCKET = ["ws", "wss"];

const platformAAgentId = field("platformAAgentId", "text", "The agent's id on platform_a.", {
  maxCharacters: LIMITS.nameCharacters,
});
const platformAKey = secret("apiKey", "API key of the platform_a account.");
const roomUrl = field("url", "url", "The media server's address.", { protocols: [...WEBSOCKET, ...HTTP] });
const chatEndpoint = [
  field("url", "url", "The endpoint that takes each turn.", { protocols: HTTP }),
  field("format", "choice", "The shape of a turn: an OpenAI chat completion, or the service's own.", {
    choices: ["openai", "svc"],
  }),
  field("model", "text", "The `model` that an OpenAI chat completion names.", {
    required: false,
    maxCharacters: LIMITS.nameCharacters,
  }),
];
const audioEndpoint = [
  field("url", "url", "The endpoint that speaks the media-stream protocol of telephony providers.", {
    protocols: WEBSOCKET,
  }),
  field("codec", "choice", "How audio is sent both ways.", { choices: ["mulaw_8k", "pcm_16k"] }),
];
const bearer = secret("apiKey", "Sent as a bearer token.");

/**
 * Every type of connection. The schemas of `config` and `credential`, their messages and the forms of the command line
 * and the web interface are all made from this table.
 */
export const CONNECTION_OPTIONS = [
  {
    connectionType: "platform_a_chat_api",
    productLabel: "platform_a chat",
    agentPlatform: "platform_a",
    topology: "hosted-broker",
    modalities: ["chat"],
    accessVariants: [
      { accessVariant: "platform_a_chat_api.api_key", config: [platformAAgentId], credential: [platformAKey] },
    ],
  },
  {
    connectionType: "platform_a_web_call",
    productLabel: "platform_a web call",
    agentPlatform: "platform_a",
    topology: "hosted-broker",
    modalities: ["voice"],
    accessVariants: [
      { accessVariant: "platform_a_web_call.api_key", config: [platformAAgentId], credential: [platformAKey] },
    ],
  },
  {
    connectionType: "platform_b_room",
    productLabel: "platform_b room",
    agentPlatform: "platform_b_agents",
    topology: "agent-dials-out",
    modalities: ["voice", "chat"],
    accessVariants: [
      {
        accessVariant: "platform_b_room.project_credentials",
        config: [
          roomUrl,
          field("agentName", "text", "The name under which the worker takes dispatches.", {
            required: false,
            maxCharacters: LIMITS.nameCharacters,
          }),
          field("metadata", "text", "Handed to the worker with each dispatch.", {
            required: false,
            maxCharacters: LIMITS.connectionConfigBytes,
          }),
        ],
        credential: [
          secret("apiKey", "API key of the platform_b project."),
          secret("apiSecret", "The API key's secret."),
        ],
      },
      {
        accessVariant: "platform_b_room.customer_token_endpoint",
        config: [roomUrl, field("tokenEndpoint", "url", "Your endpoint that gives room tokens.", { protocols: HTTP })],
        credential: [secret("headers", "Headers that your token endpoint asks for.", "headers")],
      },
    ],
  },
  {
    connectionType: "phone_number",
    productLabel: "Phone number",
    agentPlatform: null,
    topology: "svc-dials-in",
    modalities: ["voice"],
    accessVariants: [
      {
        accessVariant: "phone_number.public_e164",
        config: [field("phoneNumber", "phone", "The number to call, in E.164.", { maxCharacters: 16 })],
        credential: [],
      },
    ],
  },
  {
    connectionType: "platform_b_console",
    productLabel: "platform_b console",
    agentPlatform: "platform_b_agents",
    topology: "agent-dials-out",
    modalities: ["chat"],
    accessVariants: [
      {
        accessVariant: "platform_b_console.process",
        config: [field("command", "text", "Starts the agent; the command line runs it, the service never does.")],
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
    accessVariants: [
      { accessVariant: "websocket_audio.public", config: audioEndpoint, credential: [] },
      { accessVariant: "websocket_audio.bearer", config: audioEndpoint, credential: [bearer] },
    ],
  },
] as const satisfies ConnectionOption[];

/** One of `CONNECTION_TYPES`. */
export type ConnectionType = (typeof CONNECTION_OPTIONS)[number]["connectionType"];
/** One of `ACCESS_VARIANTS`. */
export type AccessVariant = (typeof CONNECTION_OPTIONS)[number]["accessVariants"][number]["accessVariant"];

/** The names of all types of connections. */
export const CONNECTION_TYPES = CONNECTION_OPTIONS.map(({ connectionType }) => connectionType) as [
  ConnectionType,
  ...ConnectionType[],
];
/** The names of all access variants; each begins with its type and a dot. */
export const ACCESS_VARIANTS = CONNECTION_OPTIONS.flatMap(({ accessVariants }) =>
  accessVariants.map(({ accessVariant }) => accessVariant),
) as [AccessVariant, ...AccessVariant[]];

/** The table's row of a connection type. */
export const connectionOption = (type: ConnectionType): ConnectionOption =>
  CONNECTION_OPTIONS.find(({ connectionType }) => connectionType === type)!;

/** What kinds of connections there are. */
export const connectionOptions = {
  /** Every connection type with its access variants and the fields of their `config` and `credential`. */
  list: operation({
    method: "GET",
    path: "/v1/connection-options",
    summary: "List the types of connections and their fields",
    tag: "Agents and connections",
    credential: "any",
    permission: "read",
    scope: "none",
    status: 200,
    answer: z.strictObject({ connectionOptions: z.array(ConnectionOption) }),
  }),
};
