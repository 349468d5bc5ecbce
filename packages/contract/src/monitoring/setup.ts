import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { MonitoredAgent } from "./imports.ts";

/** Health of a monitoring setup: whether the platform answers, and whether it accepts the key. */
export const MonitoringHealth = z
  .strictObject({
    state: z.enum(["healthy", "invalid_credential", "rate_limited", "provider_unavailable"]),
    blocked_until: timestamp()
      .nullable()
      .meta({ description: "The service sends no request to the platform before this time." }),
    consecutive_failures: count("Number of failed requests since the platform last answered."),
    last_error_at: timestamp().nullable(),
    last_recovered_at: timestamp().nullable(),
  })
  .meta({ id: "MonitoringHealth" });

/** Setup that monitors the production conversations of a project on one platform. */
export const MonitoringSetup = z
  .strictObject({
    id: id("mns"),
    project_id: id("prj"),
    agent_platform: z.enum(["platform_a", "platform_b_agents"]),
    strategy: z.enum(["platform_a_api_polling", "platform_b_otlp"]),
    credentials_hint: z.string().nullable().meta({ description: "Last four characters of the platform's API key." }),
    health: MonitoringHealth,
    fetches_recordings: z
      .boolean()
      .meta({ description: "Whether the service fetches the platform's recordings of imported calls." }),
    last_received_at: timestamp()
      .nullable()
      .meta({ description: "Time at which the newest production conversation arrived; null before the first." }),
    agents: z
      .array(MonitoredAgent)
      .meta({ description: "Empty for platform_b_agents, whose workers send their conversations themselves." }),
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .meta({ id: "MonitoringSetup" });
export type MonitoringSetup = z.output<typeof MonitoringSetup>;

/** Voice agent on the platform that a setup can include. */
export const AgentChoice = z
  .strictObject({
    id: z.string(),
    name: z.string().meta({ description: "Name of the agent, or its id when it has no name." }),
  })
  .meta({ id: "AgentChoice" });
