import { z } from "zod";
import { positive } from "../core/numbers.ts";
import { AGENT_PLATFORMS, MODALITIES, TOPOLOGIES } from "./platforms.ts";

const ConfigField = z
  .strictObject({
    name: z.string().meta({ description: "Name of the field in the connection's `config`." }),
    kind: z.enum(["text", "url", "phone", "sip", "sip_account", "sip_callers", "choice"]).meta({
      description:
        "`phone` is an E.164 number: `+` and 7 to 15 digits. `sip` is a `sip:` URI to call, whose user part is not a telephone number. `sip_account` is a `sip:` URI under which the service registers; its user part may consist of digits. `sip_callers` is a list of numbers and users that may call, separated by commas; `*` at the end of an entry stands for any further characters.",
    }),
    required: z.boolean(),
    description: z.string(),
    maxCharacters: positive(),
    protocols: z.array(z.string()).optional().meta({ description: "Allowed protocols of a `url`." }),
    choices: z.array(z.string()).optional().meta({ description: "Allowed values of a `choice`." }),
  })
  .meta({ id: "ConfigField" });
/** Field of a connection's `config`. */
export type ConfigField = z.infer<typeof ConfigField>;

const CredentialField = z
  .strictObject({
    name: z.string().meta({ description: "Name of the field in the connection's `credential`." }),
    kind: z
      .enum(["secret", "headers"])
      .meta({ description: "`headers` is an object of HTTP header names and their values." }),
    required: z.boolean(),
    description: z.string(),
    minCharacters: positive(),
    maxCharacters: positive(),
  })
  .meta({ id: "CredentialField" });
/** Field of a connection's `credential`. */
export type CredentialField = z.infer<typeof CredentialField>;

const AccessVariantOption = z
  .strictObject({
    accessVariant: z.string(),
    config: z.array(ConfigField),
    credential: z.array(CredentialField).meta({ description: "Empty when the connection needs no secret." }),
  })
  .meta({ id: "AccessVariant" });

const PlayableContent = z
  .strictObject({
    text: z.boolean().meta({ description: "Whether the caller writes text, and the agent answers with text." }),
    speech: z
      .boolean()
      .meta({ description: "Whether the caller speaks with the persona's voice, and the service hears the agent." }),
    interruptions: z
      .boolean()
      .meta({ description: "Whether the caller talks over the agent, as the persona's `interruptionStyle` says." }),
    heardTimes: z.boolean().meta({
      description:
        "Whether the service measures times in the sound of the call, such as response latency, yield latency and dead air.",
    }),
    mockTools: z.boolean().meta({ description: "Whether mock tools answer the agent's tool calls." }),
    summary: z.string().meta({ description: "The supported content in words, with its limits." }),
  })
  .meta({ id: "PlayableContent" });
/** Content that simulations can play over a connection type. All booleans are false when simulations do not support the type. */
export type PlayableContent = z.infer<typeof PlayableContent>;

/** Connection type, with the fields of `config` and `credential` for each access variant. */
export const ConnectionOption = z
  .strictObject({
    connectionType: z.string(),
    productLabel: z.string().meta({ description: "Name of the connection type for people." }),
    agentPlatform: z.enum(AGENT_PLATFORMS).nullable().meta({
      description: "Platform of the agents that this type reaches; null when it reaches agents of any platform.",
    }),
    topology: z.enum(TOPOLOGIES),
    modalities: z.array(z.enum(MODALITIES)).meta({ description: "Supported modalities; the first is the default." }),
    plays: PlayableContent.meta({ description: "The content that simulations can play over this type." }),
    accessVariants: z
      .array(AccessVariantOption)
      .meta({ description: "Supported access variants; the first is the default." }),
  })
  .meta({ id: "ConnectionOption" });
export type ConnectionOption = z.infer<typeof ConnectionOption>;
