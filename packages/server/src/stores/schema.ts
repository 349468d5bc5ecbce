import type {
  Channel,
  AccessVariant,
  AgentPlatform,
  ConnectionType,
  EndingReason,
  GradeLabel,
  GraderSettings,
  Modality,
  RecordingProblem,
  RunStatus,
  SimulationStatus,
  Verdict,
  ViewedList,
} from "@svc/contract";
import type { Generated, Selectable } from "kysely";
import type { AccountSchema, Named } from "./account-schema.ts";
import type { MonitoringSchema } from "./monitoring-schema.ts";
import type { ReviewSchema } from "./review-schema.ts";
import type { TeamLoopSchema } from "./team-loop-schema.ts";

type PartsElsewhere = AccountSchema & MonitoringSchema & ReviewSchema & TeamLoopSchema;

export type Schema = PartsElsewhere & {
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
    channel: Channel | null;
  };
  language_models: {
    organization_id: string;
    base_url: string;
    model: string;
    price_input: number | null;
    price_output: number | null;
    revision: string;
    created_at: string;
    updated_at: string;
  };
  judge_calibrations: { judge: string; organization_id: string; calibration: string; finished_at: string };
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
  trunks: Named & {
    project_id: string;
    address: string;
    caller_id: string;
    allowed_numbers: string;
    max_call_seconds: number;
    calls_per_minute: number;
    calls_per_day: number;
    revision: number;
  };
  placed_calls: { id: string; trunk_id: string; placed_ms: number };
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
  saved_views: Named & {
    project_id: string;
    list: ViewedList;
    /** JSON of a `ViewQuery`. */
    query: string;
  };
  mock_tool_scopes: { mock_tool_id: string; project_id: string; tool: string; agent_id: string };
};

export type ProjectRow = Selectable<Schema["projects"]>;
export type DestinationRow = Selectable<Schema["destinations"]>;
export type GroupRow = Selectable<Schema["failure_groups"]>;
