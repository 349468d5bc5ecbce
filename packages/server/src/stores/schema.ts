import type {
  AccessVariant,
  AgentPlatform,
  Alert,
  ConnectionType,
  DeliveryState,
  DestinationKind,
  EndingReason,
  EventType,
  GradeLabel,
  GraderSettings,
  GroupState,
  Modality,
  RecordingProblem,
  Role,
  RunStatus,
  SimulationStatus,
  Verdict,
} from "@svc/contract";
import type { Generated, Selectable } from "kysely";
import type { MonitoringSchema } from "./monitoring-schema.ts";
import type { ReviewSchema } from "./review-schema.ts";

type PartsElsewhere = MonitoringSchema & ReviewSchema;

/** The relational store's tables, which `migrations/` creates. */
export type Schema = PartsElsewhere & {
  users: {
    id: string;
    name: string;
    /** The unique name for sign-in. */
    email: string;
    email_verified: 0 | 1;
    /** The address that people see; several accounts can have it. */
    address: string;
    created_at: string;
    updated_at: string;
  };
  sessions: {
    id: string;
    user_id: string;
    token_sha256: string;
    organization_id: string | null;
    /** The organization whose identity provider started the session. */
    sso_organization_id: string | null;
    user_agent: string | null;
    expires_at: string;
    created_at: string;
  };
  sign_ins: {
    id: string;
    account_id: string;
    user_id: string;
    provider_id: string;
    password: string | null;
    created_at: string;
    updated_at: string;
  };
  sso_providers: {
    organization_id: string;
    issuer: string;
    client_id: string;
    domains: string;
    required: 0 | 1;
    join_role: "member" | "viewer" | null;
    created_at: string;
    updated_at: string;
  };
  sso_sign_ins: {
    state_sha256: string;
    browser_sha256: string;
    organization_id: string;
    issuer: string;
    nonce: string;
    code_verifier: string;
    redirect_uri: string;
    expires_ms: number;
  };
  sso_identities: { organization_id: string; issuer: string; subject: string; user_id: string; created_at: string };
  second_factors: { user_id: string; last_step: number; created_at: string };
  passkeys: {
    id: string;
    user_id: string;
    name: string;
    credential_id: string;
    public_key: string;
    algorithm: number;
    rp_id: string;
    counter: number;
    created_at: string;
    last_used_at: string | null;
  };
  passkey_challenges: { challenge_sha256: string; user_id: string | null; expires_ms: number };
  recovery_codes: { code_sha256: string; user_id: string };
  password_resets: {
    token_sha256: string;
    user_id: string;
    organization_id: string | null;
    expires_at: string;
    created_at: string;
  };
  relayed_requests: {
    id: string;
    holder: string;
    request: string;
    taken: Generated<0 | 1>;
    answer: string | null;
    ends_ms: number;
  };
  tries_under_way: { id: string; organization_id: string; leased_until_ms: number };
  password_attempts: { subject: string; count: number; next_ms: number };
  clock_witness: { id: number; seen_ms: number; hold_ms: number };
  device_requests: {
    id: string;
    device_code_sha256: string;
    user_code: string;
    client_name: string;
    status: "pending" | "approved" | "denied";
    user_id: string | null;
    organization_id: string | null;
    interval_seconds: number;
    polled_ms: number | null;
    expires_ms: number;
    created_at: string;
  };
  organizations: Named;
  memberships: { id: string; organization_id: string; user_id: string; role: Role; created_at: string };
  invitations: {
    id: string;
    organization_id: string;
    email: string;
    role: Role;
    token_sha256: string;
    expires_at: string;
    accepted_at: string | null;
    invited_by_user_id: string | null;
    created_at: string;
  };
  projects: Named & {
    number: Generated<number>;
    organization_id: string;
    slug: string;
    /** Null: only the retention of the service counts. */
    retention_days: Generated<number | null>;
    version_attribute: Generated<string | null>;
  };
  api_keys: {
    id: string;
    organization_id: string;
    project_id: string | null;
    created_by_user_id: string;
    name: string | null;
    secret_sha256: string;
    last_four: string;
    /** JSON array of names of `KEY_PERMISSIONS`. */
    permissions: Generated<string>;
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
    last_used_address: string | null;
    revoked_at: string | null;
  };
  /** Frozen: only inserted and, by the retention, deleted. */
  audit_lines: {
    id: string;
    organization_id: string;
    created_at: string;
    operation: string;
    via: "session" | "key" | "none" | "operator";
    user_id: string | null;
    email: string | null;
    session_id: string | null;
    key_id: string | null;
    key_name: string | null;
    key_last_four: string | null;
    address: string | null;
    request_id: string | null;
    project_id: string | null;
    resource_kind: string | null;
    resource_id: string | null;
  };
  audit_outcomes: { line_id: string; error: string | null; created_kind: string | null; created_id: string | null };
  secret_digests: { name: string; sha256: string };
  moved_folders: {
    id: 1;
    folder: string;
    content: string;
    rows_moved: 0 | 1;
    lsn: number;
    received_us: number;
    unreadable_records: number;
    started_at: string;
    finished_at: string | null;
  };
  sealed_credentials: { owner_id: string; organization_id: string; envelope: string; hint: string; sealed_at: string };
  suites: Named & { project_id: string; is_default: 0 | 1; deleted_at: string | null };
  tests: Named & {
    project_id: string;
    suite_id: string;
    current_version_id: string;
    tags: string;
    deleted_at: string | null;
  };
  test_versions: {
    id: string;
    test_id: string;
    version: number;
    scenario: string;
    expected_behaviors: string;
    personas: string;
    persona_ids: string;
    mock_tools: string;
    created_at: string;
  };
  runs: {
    id: string;
    project_id: string;
    name: string | null;
    suite_id: string | null;
    suite_name: string | null;
    test_count: number;
    persona_count: number;
    status: RunStatus;
    stop_reason: "canceled_by_user" | "agent_unreachable" | null;
    agent_id: string;
    connection_id: string;
    connection: string;
    mock_tools: string;
    voices: string | null;
    graders: string;
    caller: "scripted" | "model";
    caller_model: string | null;
    iterations: number;
    concurrency: number;
    turn_limit: number;
    time_limit_seconds: number;
    max_cost: number | null;
    judge_requests: number;
    judge_input_tokens: number | null;
    judge_cached_input_tokens: number | null;
    judge_output_tokens: number | null;
    judge_cost: number | null;
    allow_ungraded: 0 | 1;
    started_by_user_id: string | null;
    started_by_key_id: string | null;
    schedule_id: string | null;
    due_ms: number | null;
    required: string | null;
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
  };
  schedules: {
    id: string;
    project_id: string;
    name: string;
    agent_id: string;
    connection_id: string;
    plan: string;
    required: string | null;
    cron: string;
    time_zone: string;
    overlap: "skip" | "queue";
    next_due_ms: number | null;
    queued_ms: number | null;
    missed: number;
    skipped: number;
    last_missed_ms: number | null;
    problem: string | null;
    problem_ms: number | null;
    problems: number;
    created_by_user_id: string | null;
    created_by_key_id: string | null;
    created_at: string;
    updated_at: string;
    revision: number;
  };
  simulations: {
    id: string;
    run_id: string;
    project_id: string;
    test_id: string;
    test_version_id: string;
    test_name: string;
    persona_id: string;
    persona_version_id: string;
    persona_name: string;
    iteration: number;
    behavior_count: number;
    status: SimulationStatus;
    attempt: number;
    stalled_attempts: number;
    leased_until_ms: number | null;
    ending_reason: EndingReason | null;
    message: string | null;
    transcript: string | null;
    turn_count: number;
    trace_id: string | null;
    spans_written: 0 | 1;
    grading: "pending" | "running" | "settled";
    gradings: number;
    verdict: Verdict | null;
    behaviors_graded: number;
    veto_reason: string | null;
    texts_erased: 0 | 1;
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
  };
  deletions: {
    id: Generated<number>;
    project_id: string;
    deleted_at: string;
    unfinished: string | null;
    dropped_spans: Generated<number>;
  };
  deleted_names: { project_id: string; digest: string; deletion_id: number };
  samples: {
    project_id: string;
    agent_id: string;
    connection_id: string;
    suite_id: string;
    run_id: string;
    created_at: string;
  };
  recordings: {
    project_id: string;
    conversation: string;
    blob: string | null;
    problem: RecordingProblem | null;
    bytes: number | null;
    sha256: string | null;
    duration_ms: number | null;
    waveform: string | null;
    started_at: string | null;
    recorded_at: string;
  };
  run_events: { run_id: string; seq: number; event: string };
  run_requests: { project_id: string; idempotency_key: string; body_sha256: string; run_id: string };
  grades: { id: string; simulation_id: string; grading: number; position: number; grade: string; graded_at: string };
  graders: Named & { project_id: string; current_version_id: string; archived_at: string | null };
  grader_versions: { id: string; grader_id: string; version: number; definition: string; created_at: string };
  grader_settings: {
    project_id: string;
    grader_id: string;
    enabled: 0 | 1;
    counts: 0 | 1;
    scope: GraderSettings["scope"];
    production_sample_rate: number;
  };
  production_checkpoints: {
    project_id: string;
    received_ms: number;
    leased_until_ms: Generated<number>;
    from_ms: Generated<number>;
  };
  production_grades: {
    id: string;
    project_id: string;
    conversation: string;
    grader_version_id: string;
    grade: string;
    graded_at: string;
    agent: string | null;
    graded_ms: number | null;
    agent_version: string | null;
  };
  judge_calibrations: { judge: string; calibration: string; finished_at: string };
  grade_labels: {
    grade_id: string;
    user_id: string;
    project_id: string;
    grader_id: string;
    grader_version_id: string;
    graded: Verdict;
    verdict: GradeLabel["verdict"];
    note: string | null;
    labeled_at: string;
    judge: string | null;
  };
  agents: Named & {
    project_id: string;
    agent_platform: AgentPlatform;
    platform_agent_id: string | null;
    search_text: string;
    archived_at: string | null;
    revision: number;
  };
  connections: Named & {
    agent_id: string;
    connection_type: ConnectionType;
    access_variant: AccessVariant;
    modality: Modality;
    environment: string;
    config: string;
    archived_at: string | null;
    revision: number;
  };
  provider_keys: {
    organization_id: string;
    provider: string;
    region: string | null;
    revision: string;
    created_at: string;
    updated_at: string;
  };
  voice_catalogs: {
    owner: string;
    provider: string;
    revision: string;
    fetched_at: string;
    cut: 0 | 1;
    voices: string;
  };
  personas: Named & {
    project_id: string;
    search_text: string;
    current_version_id: string;
    archived_at: string | null;
  };
  persona_versions: {
    id: string;
    persona_id: string;
    version: number;
    traits: string;
    models: string;
    created_at: string;
  };
  default_personas: { project_id: string; persona_id: string };
  mock_tools: {
    id: string;
    project_id: string;
    tool: string;
    outcome: string;
    delay_ms: number | null;
    succeeds_when: string | null;
    created_at: string;
    updated_at: string;
  };
  mock_tool_scopes: { mock_tool_id: string; project_id: string; tool: string; agent_id: string };
  alert_rules: {
    id: string;
    project_id: string;
    name: string;
    /** JSON of an `AlertRuleContent`. */
    content: string;
    enabled: 0 | 1;
    muted_until: string | null;
    revision: number;
    started_ms: number;
    evaluated_to_ms: number;
    next_ms: number;
    created_at: string;
    updated_at: string;
  };
  /** `agent` is the JSON of a name or of null, `compared` that of a `UsualOf` or of null. */
  alert_states: {
    rule_id: string;
    agent: string;
    bad: number;
    good: number;
    alert_id: string | null;
    compared: string;
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
    /** The start and a digest of the conversation. */
    anchor: string;
    known_at: string;
  };
  group_aliases: { id: string; group_id: string };
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

type Named = { id: string; name: string; created_at: string; updated_at: string };

export type ProjectRow = Selectable<Schema["projects"]>;
export type DestinationRow = Selectable<Schema["destinations"]>;
export type GroupRow = Selectable<Schema["failure_groups"]>;
