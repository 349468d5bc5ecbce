import type { Alert, AlertWindow, DeliveryState, DestinationKind, EventType, GroupState } from "@svc/contract";
import type { Generated } from "kysely";

export type TeamLoopSchema = {
  alert_rules: {
    id: string;
    project_id: string;
    name: string;
    /** JSON of an `AlertRuleContent`. */
    content: string;
    enabled: 0 | 1;
    muted_until: string | null;
    /** JSON array of `MutedAgent`. */
    muted_agents: string;
    revision: number;
    started_ms: number;
    evaluated_to_ms: number;
    next_ms: number;
    created_at: string;
    updated_at: string;
  };
  /** `agent` is the JSON of a name or null. `compared` is the JSON of a `UsualOf` or null. */
  alert_states: {
    rule_id: string;
    agent: string;
    bad: number;
    good: number;
    alert_id: string | null;
    compared: string;
    judged: AlertWindow["judged"] | null;
  };
  alerts: {
    id: string;
    project_id: string;
    rule_id: string;
    rule_name: string;
    agent: string | null;
    severity: Alert["severity"];
    window_started_at: string;
    raised_at: string;
    cleared_at: string | null;
    cleared_because: Alert["clearedBecause"];
    value: number | null;
    interval_low: number | null;
    interval_high: number | null;
    samples: number;
    condition_is: Alert["condition"]["is"];
    condition_value: number;
    usual: number | null;
    unit: string;
    what: string;
    acknowledged_by: string | null;
    acknowledged_at: string | null;
    note: string | null;
    reminded_at: string | null;
  };
  alert_conversations: {
    alert_id: string;
    place: number;
    trace_id: string;
    turn: number | null;
    value: number | null;
  };
  ungrouped_failures: {
    project_id: string;
    conversation: string;
    source: "production" | "simulation";
    trace_id: string;
    revision: number;
    attempts: number;
    next_ms: number;
    leased_until_ms: Generated<number>;
  };
  failure_groups: {
    id: string;
    project_id: string;
    what_key: string;
    /** JSON of a `FailedThing`. */
    what: string;
    state: GroupState;
    resolved_at: string | null;
    resolved_by: string | null;
    regressed_at: string | null;
    size: number;
    first_seen: string;
    last_seen: string;
    title: string | null;
    title_from: string;
    /** JSON array of words. */
    words: string;
    /** JSON array of versions. */
    resolved_except: Generated<string>;
    joined_by_meaning: Generated<number>;
  };
  grouped_failures: {
    project_id: string;
    conversation: string;
    what_key: string;
    group_id: string | null;
    wording: string;
    is_compared: 0 | 1;
    quote: string | null;
    turn: number | null;
    source: "production" | "simulation";
    trace_id: string | null;
    run_id: string | null;
    agent: string | null;
    agent_version: string | null;
    started_at: string;
    /** The start of the conversation, and the digest of the conversation. */
    anchor: string;
    known_at: string;
  };
  group_aliases: { id: string; group_id: string };
  wording_vectors: { project_id: string; what_key: string; digest: string; model: string; vector: string };
  embedding_models: { model: string; baseline: number };
  things_by_meaning: {
    project_id: string;
    what_key: string;
    setting: string;
    due_ms: number | null;
    leased_until_ms: Generated<number>;
  };
  events: {
    id: string;
    project_id: string;
    seq: number;
    type: EventType;
    subject: string;
    about: string;
    data: string;
    created_at: string;
  };
  destinations: {
    id: string;
    project_id: string;
    name: string;
    kind: DestinationKind;
    /** Null for Slack, whose address is a secret. */
    address: string | null;
    /** JSON array of types of events. */
    event_types: string;
    /** JSON array of names of agents. */
    agents: string;
    quotes: Generated<0 | 1>;
    pause_reason: "person" | "gone" | null;
    failures: Generated<number>;
    failing_since: string | null;
    problem: string | null;
    retry_ms: Generated<number>;
    leased_until_ms: Generated<number>;
    last_delivered_at: string | null;
    created_at: string;
    updated_at: string;
  };
  deliveries: {
    id: string;
    destination_id: string;
    event_id: string;
    seq: number;
    subject: string;
    is_digest: 0 | 1;
    state: DeliveryState;
    attempts: number;
    next_ms: number;
    status: number | null;
    problem: string | null;
    created_at: string;
    ended_at: string | null;
  };
};
