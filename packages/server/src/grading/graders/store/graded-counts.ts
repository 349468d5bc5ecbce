import { type Channel, LIMITS } from "@svc/contract";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { dialectOf } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import type { NewGrade } from "../grader.ts";

/** `grader` is the name of a grader; null means every grader that counts. */
type Graded = {
  projectId: string;
  fromMs: number;
  toMs: number;
  versions: readonly string[] | undefined;
  channels: readonly Channel[] | undefined;
  grader: string | null;
};

/** Period that consists of whole windows. */
export type GradedPeriod = Graded & { bucketMs: number; agents: readonly string[] | undefined };

/** Number of conversations of one agent with a decided grade in a window, and the number of failed ones among them. */
export type GradedCount = { agent: string | null; startMs: number; decided: number; failed: number };

/** `failed`: whether the conversations are those that count as failed, or the other decided ones. */
export type GradedRequest = Graded & { agent: string | null; failed: boolean; limit: number };

/** `name` is a name of the conversation. `turn` is the turn that failed; null if unknown. */
export type GradedName = { name: string; turn: number | null };

export type GradedCounts = ReturnType<typeof createGradedCounts>;

const NAMES_PER_QUERY = 400;

export function createGradedCounts(db: Db) {
  const verdict = dialectOf(db).jsonText("grade", "verdict");
  const isAnyFailed = sql<number>`max(CASE WHEN ${verdict} = 'failed' THEN 1 ELSE 0 END)`;

  function decided({ projectId, fromMs, toMs, versions, channels, grader }: Graded) {
    let grades = db
      .selectFrom("production_grades")
      .where("project_id", "=", projectId)
      .where("graded_ms", ">=", fromMs)
      .where("graded_ms", "<", toMs)
      .where(verdict, "in", ["passed", "failed"])
      .where(isOfGrader(db, grader));
    if (versions !== undefined) grades = grades.where("agent_version", "in", versions);
    if (channels !== undefined) grades = grades.where("channel", "in", channels);
    return grades;
  }

  return {
    /** Counts the graded and the failed conversations of a period. Returns null if the result has too many rows. */
    async countGraded({ bucketMs, agents, ...graded }: GradedPeriod): Promise<GradedCount[] | null> {
      let grades = decided(graded)
        .select(["agent", sql<number>`graded_ms / ${sql.lit(bucketMs)}`.as("window"), isAnyFailed.as("failed")])
        .groupBy(["agent", "window", "conversation"]);
      if (agents !== undefined) grades = grades.where("agent", "in", agents);
      const rows = await db
        .selectFrom(grades.as("graded"))
        .select(({ fn }) => [
          "agent",
          "window",
          fn.countAll<number>().as("decided"),
          fn.sum<number>("failed").as("failed"),
        ])
        .groupBy(["agent", "window"])
        .orderBy("window")
        .limit(LIMITS.metricPoints + 1)
        .execute();
      if (rows.length > LIMITS.metricPoints) return null;
      return rows.map((row) => ({
        agent: row.agent,
        startMs: Number(row.window) * bucketMs,
        decided: Number(row.decided),
        failed: Number(row.failed),
      }));
    },

    /** Returns the conversations of one agent that `countGraded` counts, the last graded first. */
    async listGraded({ agent, failed, limit, ...graded }: GradedRequest): Promise<GradedName[]> {
      const ofAgent = decided(graded).where("agent", agent === null ? "is" : "=", agent);
      const rows = await ofAgent
        .select("conversation")
        .groupBy("conversation")
        .having(isAnyFailed, "=", failed ? 1 : 0)
        .orderBy(({ fn }) => fn.max("graded_ms"), "desc")
        .orderBy("conversation")
        .limit(limit)
        .execute();
      const names = rows.map(({ conversation }) => conversation);
      if (!failed) return names.map((name) => ({ name, turn: null }));
      const turns = new Map<string, number>();
      for (let from = 0; from < names.length; from += NAMES_PER_QUERY) {
        const grades = await ofAgent
          .select(["conversation", "grade"])
          .where("conversation", "in", names.slice(from, from + NAMES_PER_QUERY))
          .where(verdict, "=", "failed")
          .orderBy("id", "desc")
          .execute();
        for (const { conversation, grade } of grades) {
          const turn = failingTurnOf(JSON.parse(grade) as NewGrade);
          if (turn !== undefined) turns.set(conversation, turn);
        }
      }
      return names.map((name) => ({ name, turn: turns.get(name) ?? null }));
    },
  };
}

const failingTurnOf = ({ evidence }: Pick<NewGrade, "evidence">): number | undefined =>
  evidence.find(({ turn }) => turn !== null)?.turn ?? undefined;

function isOfGrader(db: Db, grader: string | null): RawBuilder<SqlBool> {
  const { jsonText, jsonFlag } = dialectOf(db);
  return grader === null
    ? sql<SqlBool>`${jsonFlag("grade", "counts")} = 1`
    : sql<SqlBool>`${jsonText("grade", "graderName")} = ${grader}`;
}
