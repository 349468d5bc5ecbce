import type { SetupHealth } from "../rules.ts";
import type { SetupRow } from "./rows.ts";

export const HEALTHY: SetupHealth = {
  state: "healthy",
  blockedUntilMs: null,
  consecutiveFailures: 0,
  lastErrorMs: null,
  lastRecoveredMs: null,
};

const millisecondsOf = (at: string | null) => (at === null ? null : Date.parse(at));
const timestampOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

export function healthOf(row: SetupRow): SetupHealth {
  return {
    state: row.health_state,
    blockedUntilMs: millisecondsOf(row.blocked_until),
    consecutiveFailures: row.consecutive_failures,
    lastErrorMs: millisecondsOf(row.last_error_at),
    lastRecoveredMs: millisecondsOf(row.last_recovered_at),
  };
}

export const healthColumns = (health: SetupHealth) => ({
  health_state: health.state,
  blocked_until: timestampOf(health.blockedUntilMs),
  consecutive_failures: health.consecutiveFailures,
  last_error_at: timestampOf(health.lastErrorMs),
  last_recovered_at: timestampOf(health.lastRecoveredMs),
});
