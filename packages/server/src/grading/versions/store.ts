import { dialectOf } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";
import type { VersionConversation } from "../../traces/store/trace-store.ts";
import type { GraderOutcome } from "./rules.ts";

const NAMES_PER_QUERY = 400;

/** Returns the newest decision of each grader about each of the production conversations; undecided ones are left out. */
export async function gradesOfConversations(
  db: Db,
  projectId: string,
  conversations: readonly VersionConversation[],
): Promise<GraderOutcome[]> {
  const placeOf = new Map(conversations.flatMap(({ names }, place) => names.map((name) => [name, place] as const)));
  const names = [...placeOf.keys()];
  const { jsonText } = dialectOf(db);
  const outcomes = new Map<string, GraderOutcome>();
  for (let from = 0; from < names.length; from += NAMES_PER_QUERY) {
    const rows = await db
      .selectFrom("production_grades")
      .select([
        "conversation",
        jsonText<string>("grade", "graderId").as("graderId"),
        jsonText<string>("grade", "graderName").as("graderName"),
        jsonText<string>("grade", "verdict").as("verdict"),
      ])
      .where("project_id", "=", projectId)
      .where("conversation", "in", names.slice(from, from + NAMES_PER_QUERY))
      .orderBy("id")
      .execute();
    for (const { conversation, graderId, graderName, verdict } of rows) {
      if (graderId === null || (verdict !== "passed" && verdict !== "failed")) continue;
      const place = placeOf.get(conversation)!;
      outcomes.set(`${graderId} ${place}`, { graderId, graderName, place, failed: verdict === "failed" });
    }
  }
  return [...outcomes.values()];
}
