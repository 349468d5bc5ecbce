import { LIMITS, RUN_DEFAULTS, type RunPlan } from "@svc/contract";
import type { Project } from "../../access/caller.ts";
import type { ConnectionStore } from "../../agents/connections/store.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { PinnedGrader } from "../../graders/grader.ts";
import type { MockToolStore } from "../../mock-tools/store.ts";
import type { Persona } from "../../personas/persona.ts";
import type { PersonaStore } from "../../personas/store.ts";
import type { SuiteStore } from "../../suites/store.ts";
import type { VersionOfTest } from "../../test-definitions/stored-test.ts";
import type { TestStore } from "../../test-definitions/store.ts";
import { planOf } from "./forecast.ts";
import {
  agentArchived,
  type ConnectionSnapshot,
  refuseTooMany,
  refuseUnrunnable,
  type RunRow,
  type SimulationRow,
} from "../rules.ts";
import type { Made, RunRequest } from "../store/runs.ts";

export type Wanted = {
  project: Project;
  suiteId?: string | undefined;
  testVersions?: string[] | undefined;
  agentId: string;
  connectionId: string;
  name?: string | undefined;
  iterations?: number | undefined;
  concurrency?: number | undefined;
  caller?: "scripted" | "model" | undefined;
  turnLimit?: number | undefined;
  timeLimitSeconds?: number | undefined;
  request: RunRequest | undefined;
};

/** A pinned test with the personas that call in. */
export type Cast = { pinned: VersionOfTest; personas: Persona[] };

export type PlanRuns = (wanted: Wanted) => Promise<{ plan: RunPlan; made: () => Made }>;

type Known = {
  tests: TestStore;
  suites: SuiteStore;
  personas: PersonaStore;
  connections: ConnectionStore;
  mockTools: MockToolStore;
  graders: (projectId: string) => Promise<readonly PinnedGrader[]>;
  /** Whether the service has a language model for callers and judges. */
  hasModel: boolean;
};

/** Decides what a run plays, and freezes it: versions of tests and personas, the connection, the project's mock tools. */
export function openPlan({
  tests,
  suites,
  personas,
  connections,
  mockTools,
  graders: gradersOf,
  hasModel,
}: Known): PlanRuns {
  async function pinnedVersions({ project, suiteId, testVersions }: Wanted): Promise<VersionOfTest[]> {
    if ((suiteId === undefined) === (testVersions === undefined)) {
      throw new AppError("unprocessable", "Name either a suite or test versions.");
    }
    const pinned = testVersions
      ? await Promise.all([...new Set(testVersions)].map((id) => tests.getVersion(project.id, id)))
      : await ofSuite(project.id, suiteId!);
    if (pinned.length === 0) {
      throw new AppError("unprocessable", "The suite has no tests; create one with `svc tests create`.");
    }
    return pinned;
  }

  async function ofSuite(projectId: string, suiteId: string): Promise<VersionOfTest[]> {
    const suite = await suites.get(projectId, suiteId);
    const { items, next } = await tests.list(projectId, suite.id, { limit: LIMITS.runTestVersions, before: undefined });
    if (next === null) return items.toReversed().map((test) => ({ record: test, version: test.current }));
    throw new AppError(
      "unprocessable",
      `The suite has more than ${LIMITS.runTestVersions} tests; name test versions instead.`,
    );
  }

  /** Each test's pinned personas, or the project's default one. */
  async function castOf(projectId: string, pinned: readonly VersionOfTest[]): Promise<Cast[]> {
    const known = new Map<string, Promise<Persona>>();
    const persona = (id: string) => {
      if (!known.has(id)) known.set(id, personas.get(projectId, id));
      return known.get(id)!;
    };
    const fallback = await personas.defaultId(projectId);
    return Promise.all(
      pinned.map(async (one) => {
        const ids = one.version.content.persona_ids;
        return { pinned: one, personas: await Promise.all((ids.length > 0 ? ids : [fallback]).map(persona)) };
      }),
    );
  }

  return async (wanted) => {
    const projectId = wanted.project.id;
    const { agent, connection } = await connections.get(projectId, wanted.agentId, wanted.connectionId);
    if (agent.archived_at !== null) throw agentArchived();
    if (connection.archived_at !== null) {
      throw new AppError("conflict", "The connection is archived; restore it, or name another connection.");
    }
    refuseUnrunnable(connection.connection_type);
    const caller = wanted.caller ?? (hasModel ? "model" : "scripted");
    if (caller === "model" && !hasModel) {
      throw new AppError(
        "unprocessable",
        "The service has no language model: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, or ask for the caller `scripted`.",
      );
    }
    const cast = await castOf(projectId, await pinnedVersions(wanted));
    const iterations = wanted.iterations ?? RUN_DEFAULTS.iterations;
    const simulations = cast.reduce((sum, { personas: calling }) => sum + calling.length, 0) * iterations;
    refuseTooMany(simulations);
    const concurrency = wanted.concurrency ?? RUN_DEFAULTS.concurrency;
    const turnLimit = wanted.turnLimit ?? RUN_DEFAULTS.turnLimit;
    const snapshot: ConnectionSnapshot = {
      connectionType: connection.connection_type,
      accessVariant: connection.access_variant,
      config: JSON.parse(connection.config),
    };
    const graders = await gradersOf(projectId);
    const projectMocks = await mockTools.ofAgent(projectId, agent.id);

    return {
      plan: planOf({
        cast,
        graders,
        iterations,
        caller,
        concurrency,
        turnLimit,
        hasModel,
        connectionType: snapshot.connectionType,
      }),
      made() {
        const now = new Date().toISOString();
        const run: RunRow = {
          id: newId("run"),
          project_id: projectId,
          name: wanted.name ?? null,
          status: "pending",
          stop_reason: null,
          agent_id: agent.id,
          connection_id: connection.id,
          connection: JSON.stringify(snapshot),
          mock_tools: JSON.stringify(projectMocks),
          graders: JSON.stringify(graders),
          caller,
          iterations,
          concurrency,
          turn_limit: turnLimit,
          time_limit_seconds: wanted.timeLimitSeconds ?? RUN_DEFAULTS.timeLimitSeconds,
          created_at: now,
          started_at: null,
          ended_at: null,
        };
        return { run, simulations: simulationsOf(run, cast), request: wanted.request };
      },
    };
  };
}

function simulationsOf(run: RunRow, cast: readonly Cast[]): SimulationRow[] {
  return Array.from({ length: run.iterations }, (_, index) => index + 1).flatMap((iteration) =>
    cast.flatMap(({ pinned: { record: test, version }, personas }) =>
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
        created_at: run.created_at,
        started_at: null,
        ended_at: null,
      })),
    ),
  );
}
