import { z } from "zod";
import { LIMITS } from "../core/limits.ts";

/** Schema of an agent's exact version in a request. */
export const agentVersion = z.string().min(1).max(LIMITS.agentVersionCharacters);

const severalVersions = z
  .array(agentVersion)
  .min(1)
  .max(LIMITS.agentsOfFilter)
  .refine((versions) => new Set(versions).size === versions.length, "Name each version once.");

/** Query parameter that selects versions of agents by exact name. A repeated parameter selects several versions. */
export const agentVersionFilter = z
  .union([agentVersion, severalVersions])
  .transform((versions) => [versions].flat())
  .optional()
  .meta({
    description: `Exact version of the agent. Repeat the parameter for several versions, at most ${LIMITS.agentsOfFilter}. A conversation whose version is unknown does not match.`,
    override: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: LIMITS.agentVersionCharacters },
      minItems: 1,
      maxItems: LIMITS.agentsOfFilter,
    },
  });

/** Schema of an agent's version in an answer; null when the version is unknown. */
export const knownAgentVersion = z
  .string()
  .nullable()
  .meta({ description: "Version of the agent, from the conversation's spans; null when it is unknown." });
