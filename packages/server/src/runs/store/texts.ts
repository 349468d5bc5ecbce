import { sql } from "kysely";
import { AppError } from "../../base/errors.ts";
import { eraseGradeTexts } from "../../grading/graders/store/grade-texts.ts";
import { dialectOf } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { ConversationTexts } from "../../traces/erasure/open.ts";

const ROWS_AT_ONCE = 50;
const ERASED = "The conversation is erased.";

/**
 * Creates the functions that erase the texts of simulations: the transcript, the turns in events, the message, the reason of a
 * veto and the texts of the grades.
 */
export function createSimulationTexts(db: Db): ConversationTexts {
  const { jsonText, withEmptyText } = dialectOf(db);

  async function erase(projectId: string, simulations: readonly { id: string; run_id: string }[]): Promise<void> {
    for (let from = 0; from < simulations.length; from += ROWS_AT_ONCE) {
      const some = simulations.slice(from, from + ROWS_AT_ONCE);
      const ids = some.map(({ id }) => id);
      await transaction(db, projectId, async (tx) => {
        await eraseGradeTexts(tx, ids);
        for (const { id, run_id } of some) {
          await tx
            .updateTable("run_events")
            .set({ event: withEmptyText("event", "text") })
            .where("run_id", "=", run_id)
            .where(jsonText("event", "kind"), "=", "turn")
            .where(jsonText("event", "simulationId"), "=", id)
            .execute();
        }
        await tx
          .updateTable("simulations")
          .set({
            transcript: null,
            message: ERASED,
            veto_reason: sql<string | null>`CASE WHEN veto_reason IS NULL THEN NULL ELSE ${ERASED} END`,
            texts_erased: 1,
          })
          .where("id", "in", ids)
          .execute();
      });
    }
  }

  const named = (projectId: string, names: readonly string[]) =>
    db
      .selectFrom("simulations")
      .where("project_id", "=", projectId)
      .where(
        "id",
        "in",
        names.filter((name) => name.startsWith("sim_")),
      );

  return {
    async refuseDeletion(projectId, names) {
      const open = await named(projectId, names)
        .select("id")
        .where((eb) =>
          eb.or([
            eb("status", "in", ["queued", "claimed", "running"]),
            eb.and([eb("status", "in", ["completed", "failed"]), eb("grading", "<>", "settled")]),
          ]),
        )
        .executeTakeFirst();
      if (open !== undefined) {
        throw new AppError(
          "conflict",
          "The simulation of this conversation is not finished. Cancel its run or wait for its verdict, then delete the conversation.",
        );
      }
    },

    async eraseConversations(projectId, names) {
      await erase(
        projectId,
        await named(projectId, names).select(["id", "run_id"]).where("texts_erased", "=", 0).execute(),
      );
    },

    async eraseBefore(time, projectId) {
      const rows = await db
        .selectFrom("simulations")
        .select(["id", "run_id", "project_id"])
        .where(sql<boolean>`texts_erased = 0`)
        .where("ended_at", "<", time)
        .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId!))
        .execute();
      const ofProjects = Map.groupBy(rows, ({ project_id }) => project_id);
      for (const [projectId, simulations] of ofProjects) await erase(projectId, simulations);
    },
  };
}
