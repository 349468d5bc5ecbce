import { RUN_DEFAULTS, type RunPlan, SET_LANGUAGE_MODEL } from "@svc/contract";
import type { Caller, Project } from "../../access/caller.ts";
import type { ConnectionStore } from "../../agents/connections/store.ts";
import type { TrunkStore } from "../../agents/trunks/store.ts";
import { AppError } from "../../base/errors.ts";
import type { PinnedGrader } from "../../grading/graders/grader.ts";
import { newId } from "../../base/ids.ts";
import { mocksFor } from "../../authoring/mock-tools/mocks-for.ts";
import type { MockToolStore } from "../../authoring/mock-tools/store.ts";
import { agentArchived, type ConnectionSnapshot, refuseTooMany, type RunRow, type SimulationRow } from "../rules.ts";
import { costColumns, refuseUnpriced } from "../judge-cost.ts";
import type { TestContent } from "../../authoring/test-definitions/stored-test.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import type { LanguageModel } from "../../grading/language-model/language-model.ts";
import type { LanguageModels } from "../../grading/language-model/open.ts";
import { plannedCallsOf } from "../lines/incoming-call.ts";
import type { HistoryStore } from "../store/history.ts";
import type { NewRun } from "../store/runs.ts";
import type { CheckSounds } from "./check-sounds.ts";
import { forecast, type PlannedTest } from "./forecast.ts";
import { type PlannedCalls, trunkOfRun } from "./plan-phone-calls.ts";
import { pinTests, type TestSelection, type TestStores } from "./pin-tests.ts";

export type RunOptions = TestSelection & {
  agentId: string;
  connectionId: string;
  name?: string | undefined;
  iterations?: number | undefined;
  concurrency?: number | undefined;
  caller?: "scripted" | "model" | undefined;
  turnLimit?: number | undefined;
  timeLimitSeconds?: number | undefined;
  maxCost?: number | undefined;
  allowUngraded?: boolean | undefined;
};

export type FrozenRun = {
  plan: () => Promise<RunPlan>;
  rows: (starter: RunStarter | null, schedule?: ScheduleOfRun) => Omit<NewRun, "request">;
};

export type RunStarter = Pick<Caller, "userId" | "keyId">;

/** `dueMs` is the due time in Unix milliseconds; null when a person or an API key starts the schedule now. */
export type ScheduleOfRun = { id: string; dueMs: number | null; required: string | null };

export type FreezeRun = (project: Pick<Project, "id">, options: RunOptions) => Promise<FrozenRun>;

type Needs = TestStores & {
  connections: ConnectionStore;
  trunks: TrunkStore;
  mockTools: MockToolStore;
  currentGraders: (projectId: string) => Promise<readonly PinnedGrader[]>;
  readHistory: HistoryStore["readHistory"];
  checkSounds: CheckSounds;
  packageFolders: string[];
  modelOf: LanguageModels["ofProject"];
};

/**
 * Freezes the versions of the tests, personas and graders, the connection and the project's mock tools, so that later
 * changes do not affect the run.
 */
export function createFreezeRun({
  connections,
  trunks,
  mockTools,
  currentGraders,
  readHistory,
  checkSounds,
  packageFolders,
  modelOf,
  ...stores
}: Needs): FreezeRun {
  return async ({ id: projectId }, options) => {
    const model = await modelOf(projectId);
    refuseUnpriced(options.maxCost, model);
    const connection = await liveConnection(projectId, options);
    const snapshot: ConnectionSnapshot = {
      connectionType: connection.connection_type,
      accessVariant: connection.access_variant,
      config: JSON.parse(connection.config),
    };
    const lineType = lineTypeOf(snapshot.connectionType);
    const phoneCalls = lineType.callsNumber ? await freezePhoneCalls(projectId, snapshot) : null;
    const caller = callerOf(options, model);
    const { suite, tests } = await pinTests(stores, projectId, options);
    const projectMocks = await mockTools.listOfAgent(projectId, options.agentId);
    const mocksOf = ({ mock_tools }: TestContent) => mocksFor(mock_tools, projectMocks, options.agentId);
    const toolNames = tests.map(({ pinned }) => [...mocksOf(pinned.version.content).keys()]);
    const refusal = lineType.refusalOfPlan?.({ connection: snapshot, toolNames, packageFolders });
    if (refusal !== undefined) throw new AppError("unprocessable", refusal);
    const sounds = await checkSounds(
      projectId,
      lineType,
      tests.flatMap(({ personas }) => personas),
    );
    const iterations = options.iterations ?? RUN_DEFAULTS.iterations;
    refuseTooMany(tests.reduce((sum, { personas }) => sum + personas.length, 0) * iterations);
    const concurrency = options.concurrency ?? RUN_DEFAULTS.concurrency;
    const turnLimit = options.turnLimit ?? RUN_DEFAULTS.turnLimit;
    const graders = await currentGraders(projectId);

    return {
      plan: async () =>
        forecast({
          tests,
          graders,
          iterations,
          caller,
          concurrency,
          turnLimit,
          hasModel: model !== undefined,
          history: await readHistory(projectId, connection.id),
          hasSound: lineType.carriesSound,
          connectionWarning: lineType.warning,
          phoneCalls,
          incomingCalls: lineType.awaitsCall ? plannedCallsOf(snapshot) : null,
          mocksOf,
          soundWarnings: sounds?.warnings ?? [],
        }),
      rows(starter, schedule) {
        const run: RunRow = {
          id: newId("run"),
          project_id: projectId,
          name: options.name ?? null,
          suite_id: suite?.id ?? null,
          suite_name: suite?.name ?? null,
          test_count: new Set(tests.map(({ pinned }) => pinned.record.id)).size,
          persona_count: new Set(tests.flatMap(({ personas }) => personas.map(({ id }) => id))).size,
          status: "pending",
          stop_reason: null,
          agent_id: options.agentId,
          connection_id: connection.id,
          connection: JSON.stringify(snapshot),
          mock_tools: JSON.stringify(projectMocks),
          voices: sounds && JSON.stringify(sounds.voices),
          graders: JSON.stringify(graders),
          caller,
          caller_model: caller === "model" ? (model?.model ?? null) : null,
          iterations,
          concurrency,
          turn_limit: turnLimit,
          time_limit_seconds: options.timeLimitSeconds ?? RUN_DEFAULTS.timeLimitSeconds,
          ...costColumns(options.maxCost),
          allow_ungraded: options.allowUngraded === true ? 1 : 0,
          started_by_user_id: starter?.userId ?? null,
          started_by_key_id: starter?.keyId ?? null,
          schedule_id: schedule?.id ?? null,
          due_ms: schedule?.dueMs ?? null,
          required: schedule?.required ?? null,
          created_at: new Date().toISOString(),
          started_at: null,
          ended_at: null,
        };
        return { run, simulations: simulationsOf(run, tests) };
      },
    };
  };

  async function liveConnection(projectId: string, { agentId, connectionId }: RunOptions) {
    const { agent, connection } = await connections.get(projectId, agentId, connectionId);
    if (agent.archived_at !== null) throw agentArchived();
    if (connection.archived_at === null) return connection;
    throw new AppError("conflict", "The connection is archived; restore it, or name another connection.");
  }

  /** Names the trunk in the snapshot, so that all calls of the run use the same one. */
  async function freezePhoneCalls(projectId: string, snapshot: ConnectionSnapshot): Promise<PlannedCalls> {
    const trunk = await trunkOfRun(trunks, projectId, snapshot);
    snapshot.config["trunk"] = trunk.id;
    return { phoneNumber: snapshot.config["phoneNumber"]!, trunk };
  }

  function callerOf(options: RunOptions, model: LanguageModel | undefined): "scripted" | "model" {
    const caller = options.caller ?? (model === undefined ? "scripted" : "model");
    if (caller === "scripted" || model !== undefined) return caller;
    throw new AppError(
      "unprocessable",
      `There is no language model. ${SET_LANGUAGE_MODEL}, or choose the caller \`scripted\`.`,
    );
  }
}

function simulationsOf(run: RunRow, tests: readonly PlannedTest[]): SimulationRow[] {
  return Array.from({ length: run.iterations }, (_, index) => index + 1).flatMap((iteration) =>
    tests.flatMap(({ pinned: { record: test, version }, personas }) =>
      personas.map((persona) => ({
        id: newId("sim"),
        run_id: run.id,
        project_id: run.project_id,
        test_id: test.id,
        test_version_id: version.id,
        test_name: test.name,
        persona_id: persona.id,
        persona_version_id: persona.current.id,
        persona_name: persona.name,
        iteration,
        behavior_count: version.content.expected_behaviors.length,
        status: "queued" as const,
        attempt: 0,
        stalled_attempts: 0,
        leased_until_ms: null,
        ending_reason: null,
        message: null,
        transcript: null,
        turn_count: 0,
        trace_id: null,
        spans_written: 0 as const,
        grading: "pending" as const,
        gradings: 0,
        verdict: null,
        behaviors_graded: 0,
        veto_reason: null,
        texts_erased: 0 as const,
        created_at: run.created_at,
        started_at: null,
        ended_at: null,
      })),
    ),
  );
}
