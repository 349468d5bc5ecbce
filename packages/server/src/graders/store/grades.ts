import type { Grade } from "@svc/contract";
import { notFound } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import type { NewGrade } from "../grader.ts";
import { labelsOf } from "./labels.ts";

const INSERT_ROWS = 200;

type GradeRow = Pick<Schema["grades"], "id" | "grade" | "graded_at">;

/** Keeps the verdicts of one grading of a simulation, in the transaction that settles it. */
export async function insertGrades(
  tx: Db,
  { simulationId, grading }: { simulationId: string; grading: number },
  grades: readonly NewGrade[],
): Promise<void> {
  const graded_at = new Date().toISOString();
  const rows = grades.map((grade, position) => ({
    id: newId("gra"),
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
}

/** The verdicts of each simulation's last grading; none for one that was not graded. */
export async function gradesOfSimulations(db: Db, simulationIds: readonly string[]): Promise<Map<string, Grade[]>> {
  if (simulationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("grades")
    .innerJoin("simulations", (join) =>
      join.onRef("simulations.id", "=", "grades.simulation_id").onRef("simulations.gradings", "=", "grades.grading"),
    )
    .select(["grades.id", "simulation_id", "grade", "graded_at"])
    .where("simulation_id", "in", simulationIds)
    .orderBy("position")
    .execute();
  const grades = await withLabels(db, rows);
  const simulationOf = new Map(rows.map(({ id, simulation_id }) => [id, simulation_id]));
  return Map.groupBy(grades, ({ id }) => simulationOf.get(id!)!);
}

export type GradeStore = ReturnType<typeof openGradeStore>;

export function openGradeStore(db: Db) {
  return {
    async ofSimulation(projectId: string, simulationId: string): Promise<Grade[]> {
      const owned = await db
        .selectFrom("simulations")
        .select("id")
        .where("project_id", "=", projectId)
        .where("id", "=", simulationId)
        .executeTakeFirst();
      return (owned && (await gradesOfSimulations(db, [simulationId])).get(simulationId)) ?? [];
    },

    /** Of a production conversation, by all the names that it may have been graded under. */
    async ofConversation(projectId: string, names: readonly string[]): Promise<Grade[]> {
      const rows = await db
        .selectFrom("production_grades")
        .select(["id", "grade", "graded_at"])
        .where("project_id", "=", projectId)
        .where("conversation", "in", names)
        .orderBy("id")
        .execute();
      return withLabels(db, rows);
    },

    /** A grade of a simulation or of production. */
    async get(projectId: string, id: string): Promise<Grade> {
      const row =
        (await db
          .selectFrom("grades")
          .innerJoin("simulations", "simulations.id", "grades.simulation_id")
          .select(["grades.id", "grade", "graded_at"])
          .where("grades.id", "=", id)
          .where("simulations.project_id", "=", projectId)
          .executeTakeFirst()) ??
        (await db
          .selectFrom("production_grades")
          .select(["id", "grade", "graded_at"])
          .where("id", "=", id)
          .where("project_id", "=", projectId)
          .executeTakeFirst());
      if (!row) throw notFound();
      return (await withLabels(db, [row]))[0]!;
    },
  };
}

async function withLabels(db: Db, rows: readonly GradeRow[]): Promise<Grade[]> {
  const labels = await labelsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, grade, graded_at: gradedAt }) => ({
    id,
    ...(JSON.parse(grade) as NewGrade),
    gradedAt,
    labels: labels.get(id) ?? [],
  }));
}
