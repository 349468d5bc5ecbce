import { LIMITS } from "@svc/contract";
import { notFound } from "../../base/errors.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import { traceIdOf } from "../../traces/rules.ts";
import type { TraceReader } from "../../traces/store/trace-store.ts";
import type { Calibrator } from "./calibrator.ts";
import { namesOf } from "./production/sampling.ts";
import { withCurrent } from "../../base/versions.ts";
import { presentAgreement, presentGrader, presentLabel, presentVersion } from "./present.ts";
import { decideArchive, decideCreate, decideEdit, decideRestore, decideSettings, refuseTooMany } from "./rules.ts";
import type { GraderStore } from "./store/graders.ts";
import type { FindSimulation, GradeStore } from "./store/grades.ts";
import type { LabelStore } from "./store/labels.ts";

type Needs = {
  graders: GraderStore;
  grades: GradeStore;
  labels: LabelStore;
  traces: TraceReader;
  calibrator: Calibrator;
  findSimulation: FindSimulation;
};

export function graderRoutes({
  graders,
  grades,
  labels,
  traces,
  calibrator,
  findSimulation,
}: Needs): Routes<"graders" | "grades" | "judge"> {
  return {
    graders: {
      list: async ({ project, query }) => {
        const page = pageRequest("grd", query.pageSize, query.pageToken);
        const { items, next } = await graders.list(project.id, query.archived, page);
        return { graders: items.map(presentGrader), nextPageToken: next };
      },

      create: async ({ project, body }) => ({
        grader: presentGrader(await graders.create(project.id, decideCreate(body), refuseTooMany)),
      }),

      get: async ({ project, params }) => ({
        grader: presentGrader(await graders.get(project.id, params.graderId)),
      }),

      edit: async ({ project, params, body }) => ({
        grader: presentGrader(
          await withCurrent(
            () => graders.edit(project.id, params.graderId, (current) => decideEdit(current, body)),
            async () => presentGrader(await graders.get(project.id, params.graderId)),
          ),
        ),
      }),

      configure: async ({ project, params, body }) => ({
        grader: presentGrader(
          await graders.configure(project.id, params.graderId, (current) => decideSettings(current, body)),
        ),
      }),

      versions: async ({ project, params, query }) => {
        const grader = await graders.get(project.id, params.graderId);
        const page = pageRequest("grdv", query.pageSize, query.pageToken);
        const { items, next } = await graders.listVersions(grader, page);
        return { versions: items.map((version) => presentVersion(grader, version)), nextPageToken: next };
      },

      archive: async ({ project, params }) => ({
        grader: presentGrader(await graders.archive(project.id, params.graderId, decideArchive)),
      }),

      restore: async ({ project, params, body }) => ({
        grader: presentGrader(
          await graders.restore(
            project.id,
            params.graderId,
            (grader) => decideRestore(grader, body.name),
            refuseTooMany,
          ),
        ),
      }),

      agreement: async ({ project, params }) => {
        const grader = await graders.get(project.id, params.graderId);
        const [counts, pairs] = await Promise.all([
          labels.count(project.id, grader.id),
          labels.countPairs(project.id, grader.id),
        ]);
        return { versions: presentAgreement(grader, counts, pairs) };
      },

      labels: async ({ project, params, query }) => {
        const grader = await graders.get(project.id, params.graderId);
        const rows = await labels.list(project.id, grader.id, query.agrees, LIMITS.labelsShown);
        const runIdOf = async (simulationId: string | null) =>
          simulationId === null ? null : ((await findSimulation(project.id, simulationId))?.run_id ?? null);
        return {
          labels: await Promise.all(rows.map(async (row) => presentLabel(row, await runIdOf(row.simulation_id)))),
        };
      },
    },
    grades: {
      ofTrace: async ({ project, params }) => {
        const traceId = traceIdOf(params.traceId);
        const row = traceId && (await traces.findSummary(project.number, traceId));
        if (!row) throw notFound();
        return {
          grades:
            row.source === "simulation"
              ? await grades.listOfSimulation(project.id, row.conversation!)
              : await grades.listOfConversation(project.id, namesOf(row)),
        };
      },

      label: async ({ project, params, body, caller }) => {
        const grade = await grades.get(project.id, params.gradeId);
        await labels.put(project.id, grade, caller.userId, body);
        return { grade: await grades.get(project.id, params.gradeId) };
      },
    },
    judge: {
      calibrate: async ({ caller: { organizationId } }) => {
        await calibrator.start(organizationId);
        return calibrator.state(organizationId);
      },

      calibrations: ({ caller }) => calibrator.state(caller.organizationId),
    },
  };
}
