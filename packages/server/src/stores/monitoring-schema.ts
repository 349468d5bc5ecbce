import type { ImportErrorKind } from "@svc/contract";

export type MonitoringSchema = {
  monitoring_setups: {
    id: string;
    project_id: string;
    agent_platform: "platform_a" | "platform_b_agents";
    revision: number;
    health_state: "healthy" | "invalid_credential" | "rate_limited" | "provider_unavailable";
    blocked_until: string | null;
    consecutive_failures: number;
    last_error_at: string | null;
    last_recovered_at: string | null;
    fetches_recordings: 0 | 1;
    created_at: string;
    updated_at: string;
  };
  monitored_agents: {
    id: string;
    setup_id: string;
    platform_agent_id: string;
    platform_agent_name: string;
    dropped: 0 | 1;
    scan_kind: "first" | "poll" | "late" | "reconciliation" | null;
    scan_from_ms: number | null;
    scan_to_ms: number | null;
    scan_ended_from_ms: number | null;
    scan_reached_ms: number | null;
    scan_page_key: string | null;
    scan_pages: number;
    scan_imported: number;
    scan_done: 0 | 1;
    polled_to_ms: number | null;
    late_to_ms: number | null;
    reconciled_to_ms: number | null;
    next_turn_ms: number;
    lease: number;
    leased_until_ms: number;
    last_success_at: string | null;
    last_conversation_at: string | null;
  };
  scanned_pages: { agent_id: string; page_key: string };
  import_failures: {
    id: string;
    setup_id: string;
    agent_id: string;
    call_id: string;
    status: "waiting" | "open" | "resolved";
    error_kind: ImportErrorKind;
    attempts: number;
    next_attempt_ms: number;
    replay: number;
    replaying_until_ms: number;
    /** When the import was last tried. For a resolved failure, when the call was imported. */
    last_attempt_at: string;
    opened_at: string | null;
    created_at: string;
  };
  imported_calls: {
    project_id: string;
    call_id: string;
    platform_agent_id: string;
    trace_id: string;
    imported_at: string;
    analysis_seen: 0 | 1;
    looks: number;
    look_again_ms: number | null;
  };
};
