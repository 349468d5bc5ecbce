import type { Grade } from "@svc/contract";
import type { FindProjects } from "../../../access/projects.ts";
import { notFound } from "../../../base/errors.ts";
import { newId } from "../../../base/ids.ts";
import { dialectOf } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import type { Schema } from "../../../stores/schema.ts";
import type { NewGrade } from "../grader.ts";
import { presentRates } from "../present.ts";
import { readCalibrations } from "./calibrations.ts";
import { labelsOf } from "./labels.ts";

const INSERT_ROWS = 200;

type GradeRow = Pick<Schema["grades"], "id" | "grade" | "graded_at">;

/** A simulation, and how many times it was graded. Only the grades of the last time count. */
export type GradedSimulation = { id: string; gradings: number };

/** Finds a simulation by its id. The folder `runs` passes this function, because it owns the table of simulations. */
export type FindSimulation = (
  projectId: string,
  id: string,
) => Promise<(GradedSimulation & { run_id: string; project_id: string }) | undefined>;

export type GradeStore = {
  /** Returns the grades of the simulation's last grading. */
  listOfSimulation: (projectId: string, simulationId: string) => Promise<Grade[]>;
  listOfConversation: (projectId: string, names: readonly string[]) => Promise<Grade[]>;
  /** Returns the grades with these ids in the same order, without erased grades. All grades must belong to the project. */
  listOf: (projectId: string, ids: readonly string[]) => Promise<Grade[]>;
  findProjects: FindProjects;
  get: (projectId: string, id: string) => Promise<Grade>;
};

export function createGradeStore(db: Db, findSimulation: FindSimulation): GradeStore {
  return {
    async listOfSimulation(projectId, simulationId) {
      const simulation = await findSimulation(projectId, simulationId);
      return (simulation && (await gradesOfSimulations(db, [simulation])).get(simulationId)) ?? [];
    },

    async listOfConversation(projectId, names) {
      const rows = await db
        .selectFrom("production_grades")
        .select(["id", "grade", "graded_at"])
        .where("project_id", "=", projectId)
        .where("conversation", "in", names)
        .orderBy("id")
        .execute();
      return withLabels(db, projectId, rows);
    },

    async listOf(projectId, ids) {
      if (ids.length === 0) return [];
      const columns = ["id", "grade", "graded_at"] as const;
      const ofSimulations = await db.selectFrom("grades").select(columns).where("id", "in", ids).execute();
      const ofProduction = await db
        .selectFrom("production_grades")
        .select(columns)
        .where("project_id", "=", projectId)
        .where("id", "in", ids)
        .execute();
      const grades = await withLabels(db, projectId, [...ofSimulations, ...ofProduction]);
      return ids.flatMap((id) => grades.find((grade) => grade.id === id) ?? []);
    },

    async findProjects(id, projects) {
      for (const project of projects) {
        if ((await findOfSimulation(project.id, id)) ?? (await findOfProduction(project.id, id))) return [project.id];
      }
      return [];
    },

    async get(projectId, id) {
      const row = (await findOfSimulation(projectId, id)) ?? (await findOfProduction(projectId, id));
      if (!row) throw notFound();
      return (await withLabels(db, projectId, [row]))[0]!;
    },
  };

  async function findOfSimulation(projectId: string, id: string): Promise<GradeRow | undefined> {
    const row = await db
      .selectFrom("grades")
      .select(["id", "simulation_id", "grade", "graded_at"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row && (await findSimulation(projectId, row.simulation_id)) && row;
  }

  async function findOfProduction(projectId: string, id: string): Promise<GradeRow | undefined> {
    return db
      .selectFrom("production_grades")
      .select(["id", "grade", "graded_at"])
      .where("id", "=", id)
      .where("project_id", "=", projectId)
      .executeTakeFirst();
  }
}

/** Inserts the grades of one grading of a simulation, in the transaction that ends this grading. */
export async function insertGrades(
  tx: Db,
  { simulationId, grading }: { simulationId: string; grading: number },
  grades: readonly NewGrade[],
): Promise<(NewGrade & { id: string })[]> {
  const graded_at = new Date().toISOString();
  const stored = grades.map((grade) => ({ ...grade, id: newId("gra") }));
  const rows = stored.map(({ id, ...grade }, position) => ({
    id,
    simulation_id: simulationId,
    grading,
    position,
    grade: JSON.stringify(grade),
    graded_at,
  }));
  for (let from = 0; from < rows.length; from += INSERT_ROWS) {
    await tx
      .insertInto("grades")
      .values(rows.slice(from, from + INSERT_ROWS))
      .execute();
  }
  return stored;
}

export async function gradesOfSimulations(
  db: Db,
  simulations: readonly (GradedSimulation & { project_id: string })[],
): Promise<Map<string, Grade[]>> {
  const graded = simulations.filter(({ gradings }) => gradings > 0);
  if (graded.length === 0) return new Map();
  const rows = await lastGrades(db, graded)
    .select(["id", "simulation_id", "grade", "graded_at"])
    .orderBy("position")
    .execute();
  const grades = await withLabels(db, graded[0]!.project_id, rows);
  const simulationOf = new Map(rows.map(({ id, simulation_id }) => [id, simulation_id]));
  return Map.groupBy(grades, ({ id }) => simulationOf.get(id!)!);
}

export type GradeOutcome = Pick<
  Grade,
  "graderId" | "graderName" | "criterion" | "decidedBy" | "verdict" | "reason" | "counts"
> & { gradeId: string | null; simulationId: string };

export async function outcomesOfSimulations(db: Db, simulations: readonly GradedSimulation[]): Promise<GradeOutcome[]> {
  const { jsonText, jsonFlag } = dialectOf(db);
  const member = <Name extends Exclude<keyof GradeOutcome, "counts">>(name: Name) =>
    jsonText<GradeOutcome[Name]>("grade", name).as(name);
  const rows = await lastGrades(db, simulations)
    .select(["id as gradeId", "simulation_id as simulationId"])
    .select([
      member("graderId"),
      member("graderName"),
      member("criterion"),
      member("decidedBy"),
      member("verdict"),
      member("reason"),
      jsonFlag("grade", "counts").as("counts"),
    ])
    .orderBy("position")
    .execute();
  return rows.map((row) => ({ ...row, counts: row.counts === 1 }));
}

/** Members of a grade in an export, in the order of its columns. */
const EXPORTED = [
  "graderId",
  "graderVersionId",
  "graderName",
  "criterion",
  "decidedBy",
  "verdict",
  "reason",
  "counts",
] as const;

/** `conversation` is the name of a production conversation, or the id of a simulation. */
export type ExportedGrade = Pick<Grade, (typeof EXPORTED)[number]> & {
  id: string;
  conversation: string;
  gradedAt: string;
};

function exportedMembers(db: Db) {
  const { jsonText, jsonFlag } = dialectOf(db);
  return EXPORTED.map((name) =>
    name === "counts" ? jsonFlag("grade", name).as(name) : jsonText("grade", name).as(name),
  );
}

export async function exportGradesOfSimulations(
  db: Db,
  simulations: readonly GradedSimulation[],
): Promise<ExportedGrade[]> {
  if (simulations.length === 0) return [];
  const rows = await lastGrades(db, simulations)
    .select(["id", "simulation_id as conversation", "graded_at as gradedAt"])
    .select(exportedMembers(db))
    .orderBy("simulation_id")
    .orderBy("position")
    .execute();
  return rows as unknown as ExportedGrade[];
}

export async function exportGradesOfProduction(
  db: Db,
  projectId: string,
  after: string,
  limit: number,
): Promise<ExportedGrade[]> {
  const rows = await db
    .selectFrom("production_grades")
    .select(["id", "conversation", "graded_at as gradedAt"])
    .select(exportedMembers(db))
    .where("project_id", "=", projectId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows as unknown as ExportedGrade[];
}

export async function evidenceOfGrades(db: Db, gradeIds: readonly string[]): Promise<Map<string, Grade["evidence"]>> {
  if (gradeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("grades")
    .select(["id", dialectOf(db).jsonText("grade", "evidence").as("evidence")])
    .where("id", "in", gradeIds)
    .execute();
  return new Map(rows.map(({ id, evidence }) => [id, JSON.parse(evidence) as Grade["evidence"]]));
}

export const lastGrades = (db: Db, simulations: readonly GradedSimulation[]) =>
  db
    .selectFrom("grades")
    .where((eb) =>
      eb.or(
        simulations.map(({ id, gradings }) => eb.and([eb("simulation_id", "=", id), eb("grading", "=", gradings)])),
      ),
    );

/** Defaults for members that old grades do not have. */
const OLD_GRADE = { reading: null, judge: null, usage: null };

async function withLabels(db: Db, projectId: string, rows: readonly GradeRow[]): Promise<Grade[]> {
  const stored = rows.map(({ grade }): NewGrade => ({ ...OLD_GRADE, ...JSON.parse(grade) }));
  const labels = await labelsOf(
    db,
    rows.map(({ id }) => id),
  );
  const judges = stored.flatMap(({ judge }) => judge ?? []);
  const calibrationOf = await readCalibrations(db, projectId, judges);
  return rows.map(({ id, graded_at: gradedAt }, index) => {
    const grade = stored[index]!;
    const calibration = grade.judge && calibrationOf(grade.judge);
    return {
      id,
      ...grade,
      calibration: calibration ? presentRates(calibration) : null,
      gradedAt,
      labels: labels.get(id) ?? [],
    };
  });
}
