import type { Grade, GradeLabel, operations } from "@svc/contract";
import type { z } from "zod";
import { sql } from "kysely";
import { dialectOf } from "../../../stores/dialect.ts";
import { readPages } from "../../../stores/page.ts";
import type { Db } from "../../../stores/relational.ts";
import type { Schema } from "../../../stores/schema.ts";
import { transaction } from "../../../stores/transaction.ts";
import type { PairsOfLabels } from "../../statistics/agreement.ts";
import { type DecidingJudge, judgeOf } from "../judge-of.ts";
import { noteLabel } from "../review/store/queue.ts";
import { scopeOf } from "../review/store/settings.ts";
import type { LabelCount } from "../rules.ts";

type LabelBody = z.output<(typeof operations.grades.label)["body"]>;

/** Largest number of a grader's newest versions for which agreement is computed. */
const VERSIONS_MAX = 200;

/** Whether the two labels of a grade agree. The index is the number of labels that are passes. */
const PAIR_OF = ["bothFail", "differ", "bothPass"] as const;

/** A label with its grade. `version` is null for a shipped grader. */
export type LabeledGradeRow = Schema["grade_labels"] & {
  user_name: string;
  version: number | null;
  criterion: string;
  simulation_id: string | null;
  conversation: string | null;
};

export type LabelStore = {
  /** Stores a person's label of a grade in place of the person's earlier label, and records it in the review queue. */
  put: (projectId: string, grade: Grade, userId: string, label: LabelBody) => Promise<void>;
  /**
   * Returns the newest labels of a grader's grades: with `agrees` true, only labels with the grade's verdict; with false, only labels with
   * another verdict; without it, all labels.
   */
  list: (projectId: string, graderId: string, agrees: boolean | undefined, limit: number) => Promise<LabeledGradeRow[]>;
  /** Returns the numbers of labels by judge, for the newest labeled versions of the grader. */
  count: (projectId: string, graderId: string) => Promise<LabelCount[]>;
  /** Returns, by grader version, the numbers of grades whose first two labels agree or differ. Ignores unsure labels. */
  countPairs: (projectId: string, graderId: string) => Promise<Map<string, PairsOfLabels>>;
};

export function createLabelStore(db: Db): LabelStore {
  return {
    async put(projectId, grade, userId, { verdict, note }) {
      const judge = judgeOf(grade);
      const label = { verdict, note: note ?? null, labeled_at: new Date().toISOString() };
      await transaction(db, scopeOf(projectId), async (tx) => {
        await tx
          .insertInto("grade_labels")
          .values({
            grade_id: grade.id!,
            user_id: userId,
            project_id: projectId,
            grader_id: grade.graderId,
            grader_version_id: grade.graderVersionId,
            graded: grade.verdict,
            judge: judge && JSON.stringify(judge),
            ...label,
          })
          .onConflict((conflict) => conflict.columns(["grade_id", "user_id"]).doUpdateSet(label))
          .execute();
        await noteLabel(tx, projectId, grade.id!, userId);
      });
    },

    async list(projectId, graderId, agrees, limit) {
      const { jsonText } = dialectOf(db);
      let query = db
        .selectFrom("grade_labels as label")
        .innerJoin("users", "users.id", "label.user_id")
        .leftJoin("grader_versions", "grader_versions.id", "label.grader_version_id")
        .leftJoin("grades", "grades.id", "label.grade_id")
        .leftJoin("production_grades", "production_grades.id", "label.grade_id")
        .selectAll("label")
        .select(["users.name as user_name", "grader_versions.version", "simulation_id", "conversation"])
        .select(
          sql<string>`coalesce(${jsonText("grades.grade", "criterion")}, ${jsonText("production_grades.grade", "criterion")})`.as(
            "criterion",
          ),
        )
        .where("label.project_id", "=", projectId)
        .where("label.grader_id", "=", graderId);
      if (agrees !== undefined)
        query = query.whereRef("label.graded", agrees ? "=" : "!=", "label.verdict").where("verdict", "<>", "unsure");
      return query.orderBy("labeled_at", "desc").orderBy("grade_id", "desc").limit(limit).execute();
    },

    async count(projectId, graderId) {
      const rows = await db
        .selectFrom("grade_labels")
        .leftJoin("grader_versions", "grader_versions.id", "grader_version_id")
        .select(["grader_version_id as id", "version", "judge", "graded", "verdict"])
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("project_id", "=", projectId)
        .where("grade_labels.grader_id", "=", graderId)
        .where("grader_version_id", "in", (eb) =>
          eb
            .selectFrom("grade_labels")
            .select("grader_version_id")
            .distinct()
            .where("project_id", "=", projectId)
            .where("grader_id", "=", graderId)
            .orderBy("grader_version_id", "desc")
            .limit(VERSIONS_MAX),
        )
        .groupBy(["grader_version_id", "version", "judge", "graded", "verdict"])
        .execute();
      // The version of a shipped grader has no row; its number is 1.
      return rows.map((row) => ({
        ...row,
        version: row.version ?? 1,
        judge:
          row.judge === null ? null : { dialect: null, ...(JSON.parse(row.judge) as Omit<DecidingJudge, "dialect">) },
      }));
    },

    async countPairs(projectId, graderId) {
      const numbered = db
        .selectFrom("grade_labels")
        .select(["grade_id", "grader_version_id", "verdict"])
        .select(sql<number>`row_number() OVER (PARTITION BY grade_id ORDER BY labeled_at, user_id)`.as("number"))
        .where("project_id", "=", projectId)
        .where("grader_id", "=", graderId)
        .where("verdict", "<>", "unsure");
      const pairs = db
        .selectFrom(numbered.as("label"))
        .select("grader_version_id")
        .select(sql<number>`sum(CASE verdict WHEN 'passed' THEN 1 ELSE 0 END)`.as("passes"))
        .where("number", "<=", 2)
        .groupBy(["grade_id", "grader_version_id"])
        .having(({ fn }) => fn.countAll(), "=", 2);
      const rows = await db
        .selectFrom(pairs.as("pair"))
        .select(["grader_version_id", "passes"])
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .groupBy(["grader_version_id", "passes"])
        .execute();
      const counts = new Map<string, PairsOfLabels>();
      for (const { grader_version_id: id, passes, count } of rows) {
        const pair = counts.get(id) ?? { bothPass: 0, differ: 0, bothFail: 0 };
        pair[PAIR_OF[Number(passes)]!] = Number(count);
        counts.set(id, pair);
      }
      return counts;
    },
  };
}

export async function labelsOf(db: Db, gradeIds: readonly string[]): Promise<Map<string, GradeLabel[]>> {
  if (gradeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("grade_labels")
    .innerJoin("users", "users.id", "user_id")
    .select(["grade_id", "verdict", "note", "user_id as userId", "users.name as userName", "labeled_at as labeledAt"])
    .where("grade_id", "in", gradeIds)
    .orderBy("labeled_at")
    .execute();
  const byGrade = Map.groupBy(rows, ({ grade_id }) => grade_id);
  return new Map([...byGrade].map(([id, labels]) => [id, labels.map(({ grade_id: _, ...label }) => label)]));
}

const EXPORTED_AT_ONCE = 500;

/** The rows of the export, in the order of their grades, with the names of the exported columns. */
export const exportLabels = (db: Db, projectId: string) =>
  readPages((after: { grade_id: string; user_id: string } | undefined) =>
    db
      .selectFrom("grade_labels")
      .innerJoin("users", "users.id", "user_id")
      .select(["grade_id", "user_id", "grader_id", "grader_version_id", "graded", "verdict", "note"])
      .select(["users.name as labeled_by", "labeled_at"])
      .where("project_id", "=", projectId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("grade_id", "user_id"), ">", tuple(after?.grade_id ?? "", after?.user_id ?? "")),
      )
      .orderBy("grade_id")
      .orderBy("user_id")
      .limit(EXPORTED_AT_ONCE)
      .execute(),
  );
