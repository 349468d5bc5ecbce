import { LIMITS, type SavedView, ViewQuery } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import type { Schema } from "../../stores/schema.ts";

export type ViewRow = Schema["saved_views"];

/** Filters of a view that name something which the project does not have, or no longer has. */
export type Missing = { run: boolean; alert: boolean; isAgentArchived: boolean };

type Problem = SavedView["problems"][number];

/** Reads a stored query. A filter that this version of the service does not know is left out, and is a problem of the view. */
export function readQuery({ list, query }: ViewRow): { query: ViewQuery; problems: Problem[] } {
  const stored: unknown = JSON.parse(query);
  const read = ViewQuery.safeParse(stored);
  if (read.success) return { query: read.data, problems: [] };
  const unknown = new Set(
    read.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" ? issue.keys : [String(issue.path[0] ?? "list")],
    ),
  );
  const known = Object.entries(stored as object).filter(([filter]) => !unknown.has(filter));
  return {
    query: ViewQuery.parse({ ...Object.fromEntries(known), list }),
    problems: [...unknown].map((filter) => ({
      filter,
      message: "This filter no longer exists, and the view shows its list without it. Save the view again.",
    })),
  };
}

export function presentView(row: ViewRow, missing: Missing): SavedView {
  const { query, problems } = readQuery(row);
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    query,
    problems: [...problems, ...problemsOf(missing)],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const problemsOf = ({ run, alert, isAgentArchived }: Missing): Problem[] => [
  ...(run ? [{ filter: "runId", message: "The run no longer exists, so nothing matches. Choose another run." }] : []),
  ...(alert
    ? [
        {
          filter: "alertId",
          message: "The alert no longer exists, so nothing matches. Take the filter off, or delete the view.",
        },
      ]
    : []),
  ...(isAgentArchived
    ? [
        {
          filter: "agent",
          message: "The agent is archived, so only its earlier conversations match. Choose another agent.",
        },
      ]
    : []),
];

export function refuseMissing({ run, alert }: Missing): void {
  if (run) throw unprocessable("The project has no run with this id. `svc runs list` shows all runs.");
  if (alert) throw unprocessable("The project has no alert with this id. `svc alerts list` shows all alerts.");
}

export function refuseOtherList(row: ViewRow, { list }: ViewQuery): void {
  if (list === row.list) return;
  throw unprocessable(`This is a view of ${row.list}. Save the filters of ${list} as another view.`);
}

export function refuseTooManyViews(count: number): void {
  if (count < LIMITS.views) return;
  throw unprocessable(`A project has at most ${LIMITS.views} saved views. Delete one that you do not need.`);
}

const unprocessable = (message: string) => new AppError("unprocessable", message);
