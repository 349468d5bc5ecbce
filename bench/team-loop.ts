import type { Client } from "@svc/sdk";
import { newScheduleOf } from "../test/support/schedules.ts";

export const RULES = 200;
export const DESTINATIONS = 20;
export const SCHEDULES = 50;

/** Creates alert rules, destinations for their alerts, and schedules that are not due for months. */
export async function createTeamLoop(client: Client, webhookUrl: string): Promise<void> {
  for (let n = 0; n < DESTINATIONS; n++)
    await client.destinations.create({
      name: `destination ${n}`,
      kind: "webhook",
      url: webhookUrl,
      eventTypes: ["run.completed", "alert.raised", "alert.cleared", "group.opened"],
    });
  for (let n = 0; n < RULES; n++)
    await client.alertRules.create({
      name: `rule ${n}`,
      watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
      windowMinutes: 5,
      condition: { is: "above", value: 2_000 + n },
    });
  const month = ((new Date().getUTCMonth() + 6) % 12) + 1;
  for (let n = 0; n < SCHEDULES; n++) await newScheduleOf(client, { cron: `${n} 6 1 ${month} *` });
}
