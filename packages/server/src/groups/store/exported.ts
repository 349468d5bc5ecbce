import { readPages } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";

// The rows of exports, with the names of the exported columns.

const ROWS_AT_ONCE = 500;

/** The group with the oldest last failure is first. */
export const exportGroups = (db: Db, projectId: string) =>
  readPages((after: { last_seen_at: string; id: string } | undefined) =>
    db
      .selectFrom("failure_groups")
      .leftJoin("users", "users.id", "resolved_by")
      .select([
        "failure_groups.id",
        "what",
        "title",
        "words",
        "joined_by_meaning",
        "state",
        "size",
        "first_seen as first_seen_at",
      ])
      .select(["last_seen as last_seen_at", "resolved_at", "users.name as resolved_by"])
      .select(["resolved_except as resolved_except_versions", "regressed_at"])
      .where("project_id", "=", projectId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("last_seen", "failure_groups.id"), ">", tuple(after?.last_seen_at ?? "", after?.id ?? "")),
      )
      .orderBy("last_seen")
      .orderBy("failure_groups.id")
      .limit(ROWS_AT_ONCE)
      .execute(),
  );

/** The failure of the oldest conversation is first. */
export const exportFailures = (db: Db, projectId: string) =>
  readPages((after: { started_at: string; conversation: string; what_key: string } | undefined) =>
    db
      .selectFrom("grouped_failures")
      .select(["group_id", "source", "trace_id", "run_id", "agent", "agent_version", "turn", "quote", "started_at"])
      .select(["conversation", "what_key"])
      .where("project_id", "=", projectId)
      .where("group_id", "is not", null)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple("started_at", "conversation", "what_key"),
          ">",
          tuple(after?.started_at ?? "", after?.conversation ?? "", after?.what_key ?? ""),
        ),
      )
      .orderBy("started_at")
      .orderBy("conversation")
      .orderBy("what_key")
      .limit(ROWS_AT_ONCE)
      .execute(),
  );
