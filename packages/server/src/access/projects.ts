import { AppError, notFound } from "../errors.ts";
import type { Db } from "../stores/relational.ts";
import type { Caller, Project } from "./caller.ts";

/**
 * The project that an operation acts in. A project key has its own and widens to no other; else the one named by id or
 * exact name; else the only one there is.
 */
export async function selectProject(db: Db, caller: Caller, named: string | undefined): Promise<Project> {
  const own = caller.project;
  if (own) {
    if (named !== undefined && named !== own.id && named !== own.name) {
      throw new AppError(
        "not_permitted",
        "This key is bound to another project; omit the project, or use that project's key.",
      );
    }
    return own;
  }

  const visible = db
    .selectFrom("projects")
    .select(["id", "number", "name"])
    .where("organization_id", "=", caller.organizationId);
  if (named !== undefined) {
    const byId = await visible.where("id", "=", named).executeTakeFirst();
    const project = byId ?? (await visible.where("name", "=", named).executeTakeFirst());
    if (!project) throw notFound();
    return project;
  }

  const few = await visible.limit(2).execute();
  if (few.length === 1) return few[0]!;
  throw new AppError("invalid_request", "Name the project by its id or name: the credential reaches none or several.", {
    issues: [{ path: "project", message: "Required: the credential does not select one project." }],
  });
}

/** Returns the number under which the trace store files the project; the project must exist. */
export async function projectNumberOf(db: Db, projectId: string): Promise<number> {
  const { number } = await db
    .selectFrom("projects")
    .select("number")
    .where("id", "=", projectId)
    .executeTakeFirstOrThrow();
  return number;
}
