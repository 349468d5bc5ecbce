import { z } from "zod";
import { LIMITS } from "../core/limits.ts";

/** Schema of an agent's exact name in a request. */
export const agentName = z.string().min(1).max(256);

const severalNames = z
  .array(agentName)
  .min(1)
  .max(LIMITS.agentsOfFilter)
  .refine((names) => new Set(names).size === names.length, "Name each agent once.");

/** Query parameter that selects agents by exact name. A repeated parameter selects several agents. */
export const agentNames = z
  .union([agentName, severalNames])
  .transform((names) => [names].flat())
  .optional()
  .meta({
    description: `Exact agent name. Repeat the parameter for several agents, at most ${LIMITS.agentsOfFilter}.`,
    override: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 256 },
      minItems: 1,
      maxItems: LIMITS.agentsOfFilter,
    },
  });
