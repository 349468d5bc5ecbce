import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { packageOf, sources } from "./support/imports.ts";
import { LAYERS, inServer } from "./support/layers.ts";

/** The folder that owns each table of the relational store. Only the store of this folder reads and writes the table. */
const TABLES: Record<string, string> = {
  migrations: "stores",
  sealed_credentials: "stores",
  secret_digests: "stores",
  request_counts: "stores",
  audit_lines: "operations/audit",
  audit_outcomes: "operations/audit",
  token_buckets: "stores",
  moved_folders: "stores",
  sessions: "access",
  sign_ins: "access",
  verifications: "access",
  users: "tenancy/accounts",
  password_attempts: "tenancy/accounts",
  tries_under_way: "runs",
  waiting_accounts: "runs",
  sso_providers: "tenancy/single-sign-on",
  sso_sign_ins: "tenancy/single-sign-on",
  sso_identities: "tenancy/single-sign-on",
  second_factors: "tenancy/second-factor",
  recovery_codes: "tenancy/second-factor",
  passkeys: "tenancy/second-factor",
  passkey_challenges: "tenancy/second-factor",
  memberships: "tenancy/accounts",
  invitations: "tenancy/accounts",
  password_resets: "tenancy/accounts",
  device_requests: "tenancy/device-sign-in",
  organizations: "tenancy/organizations",
  projects: "tenancy/projects",
  api_keys: "tenancy/api-keys",
  suites: "authoring/suites",
  tests: "authoring/test-definitions",
  test_versions: "authoring/test-definitions",
  personas: "authoring/personas",
  persona_versions: "authoring/personas",
  default_personas: "authoring/personas",
  mock_tools: "authoring/mock-tools",
  mock_tool_scopes: "authoring/mock-tools",
  saved_views: "traces",
  agents: "agents",
  connections: "agents",
  trunks: "agents",
  placed_calls: "agents",
  provider_keys: "voice/provider-keys",
  language_models: "grading/language-model",
  voice_catalogs: "voice/voices",
  runs: "runs",
  schedules: "runs",
  simulations: "runs",
  run_events: "runs",
  run_requests: "runs",
  relayed_requests: "runs",
  recordings: "voice/recordings",
  samples: "runs/sample",
  graders: "grading/graders",
  grader_versions: "grading/graders",
  grader_settings: "grading/graders",
  grades: "grading/graders",
  grade_labels: "grading/graders",
  judge_calibrations: "grading/graders",
  review_settings: "grading/graders",
  review_items: "grading/graders",
  review_reasons: "grading/graders",
  review_grades: "grading/graders",
  review_people: "grading/graders",
  review_alerts: "grading/graders",
  production_checkpoints: "grading/graders",
  production_grades: "grading/graders",
  deletions: "traces",
  clock_witness: "traces",
  deleted_names: "traces",
  monitoring_setups: "monitoring",
  monitored_agents: "monitoring",
  scanned_pages: "monitoring",
  import_failures: "monitoring",
  imported_calls: "monitoring",
  alert_rules: "alerts",
  alert_states: "alerts",
  alerts: "alerts",
  alert_conversations: "alerts",
  ungrouped_failures: "groups",
  failure_groups: "groups",
  grouped_failures: "groups",
  group_aliases: "groups",
  wording_vectors: "groups",
  things_by_meaning: "groups",
  embedding_models: "groups",
  events: "notifications",
  destinations: "notifications",
  deliveries: "notifications",
};

/** Uses of a table outside its owner's store, each with the reason; `*` allows every folder. */
const SHARED_TABLES: Record<string, string> = {
  "* reads projects": "The trace store knows a project by its number, and requests name a project by its name.",
  "agents reads sealed_credentials":
    "A list shows the hint of each credential in one query; the table is below all features.",
  "stores reads destinations": "An event is recorded in the transaction of its cause, which is in any feature.",
  "stores writes events": "As above.",
  "stores reads events": "As above: some events are recorded once.",
  "stores writes deliveries": "As above.",
  "notifications reads memberships": "Mail goes to members of the organization only.",
  "notifications reads users": "As above.",
  "alerts reads users": "An alert is shown with the name of the person who acknowledged it.",
  "stores writes ungrouped_failures": "A failure is recorded in the transaction of its grading, in either feature.",
  "stores reads grouped_failures": "As above: a conversation that passes now leaves its groups.",
  "groups reads users": "A group is shown with the name of the person who resolved it.",
  "runs reads users": "A run is shown with the name of the person who started it.",
  "runs reads api_keys": "A run is shown with the name of the key that started it.",
  "operations/audit reads users": "A line has the address of its person.",
  "operations/audit reads api_keys": "A line has the name of its key.",
  "operations/audit reads memberships": "A line about an account is in all organizations of its person.",
  "grading/graders reads users": "A label is shown with the name of its author.",
  "grading/graders reads alerts": "A raised alert brings its conversations into the review queue.",
  "grading/graders reads alert_conversations": "As above.",
  "grading/graders reads alert_rules": "As above: those of a number of conversations stay out.",
  "access reads api_keys":
    "Authentication is below the features and reads the key, the role and the project in one query.",
  "access writes api_keys": "Authentication notes the last use of a key.",
  "access reads users": "A sign-in reads the password of a name in one query.",
  "access writes users": "The sign-in library creates users, and sessions remove a user without an organization.",
  "access reads sso_providers":
    "A session acts in an organization that requires single sign-on only when that started it.",
  "access reads memberships": "Authentication is below the features and reads the caller's role.",
};

/** Returns whether a file is in the folder of a feature, where only stores read and write tables. */
function isInRoom(file: string): boolean {
  const [folder, rest] = file.split("/") as [string, string?];
  return rest !== undefined && !(LAYERS as readonly string[]).includes(folder);
}

type TableUse = { verb: "reads" | "writes"; table: string };

/** Returns the tables that a file uses, in calls of the query builder and in SQL text. */
function tableUsesIn(file: string): TableUse[] {
  const text = readFileSync(file, "utf8");
  const calls = text.matchAll(
    /\b(selectFrom|insertInto|replaceInto|updateTable|deleteFrom|\w+Join|createVersionedStore)\(\s*(?:\{\s*table: )?"(\w+)/g,
  );
  const sql = text.matchAll(/\b(FROM|JOIN|INTO|UPDATE)\s+(\w+)/g);
  const isReading = /^(selectFrom|\w+Join|FROM|JOIN)$/;
  const useOf = ([, verb, table]: RegExpExecArray): TableUse => ({
    verb: isReading.test(verb!) ? "reads" : "writes",
    table: table!,
  });
  return [...[...calls].map(useOf), ...[...sql].map(useOf).filter(({ table }) => table in TABLES)];
}

function isOwnOrShared({ file, verb, table }: TableUse & { file: string }): boolean {
  const owner = TABLES[table] ?? expect.fail(`give the table ${table} an owner in test/table-owners.spec.ts`);
  const isStore = !isInRoom(file) || /\/store(\.ts$|\/)/.test(file);
  const isShared = Object.keys(SHARED_TABLES).some((use) => {
    const [place, ...rest] = use.split(" ") as [string, ...string[]];
    return rest.join(" ") === `${verb} ${table}` && (place === "*" || file.startsWith(`${place}/`));
  });
  return isStore && (file.startsWith(`${owner}/`) || isShared);
}

describe("the tables of the relational store", () => {
  test("every table of the migrations has an owner", () => {
    const made = globSync("packages/server/migrations/*.sql").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/gm)].map(([, table]) => table!),
    );
    expect(
      Object.keys(TABLES)
        .filter((table) => table !== "migrations")
        .toSorted(),
    ).toEqual([...new Set(made)].toSorted());
  });

  test("only the owner's store reads and writes a table", () => {
    const uses = sources
      .filter((file) => packageOf(file) === "server")
      .flatMap((file) => tableUsesIn(file).map((use) => ({ file: inServer(file), ...use })));
    expect(uses.length).toBeGreaterThan(100);
    const wrong = uses.filter((use) => !isOwnOrShared(use)).map(({ file, verb, table }) => `${file} ${verb} ${table}`);
    expect([...new Set(wrong)].toSorted(), "move the SQL into the store of the table's owner").toEqual([]);
  });
});
