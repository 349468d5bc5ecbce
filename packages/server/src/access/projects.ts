import { AppError, notFound } from "../errors.ts";
import type { Db } from "../stores/relational.ts";
import type { Caller, Project } from "./caller.ts";

/**
 * Returns the project that an operation acts in: the key's project, else the project with this id or exact name, else
 * the organization's only project. Refuses a project key that names another project, and a request that fits several
 * projects.
 */
export async function selectProject(db: Db, caller: Caller, named: string | undefined): Promise<Project> {
  const own = caller.project;
  if (own) {
    if (named !== undefined && named !== own.id && named !== own.name) {
      throw new AppError(
        "not_permitted",
        "This key belongs to a different project. Omit the project, or use a key of that project.",
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
  throw new AppError(
    "invalid_request",
    "Name the project by its id or name: this credential does not select exactly one project.",
    {
      issues: [{ path: "project", message: "Required: the credential does not select one project." }],
    },
  );
}

/** Returns a project of any organization by its id. */
export async function readProject(db: Db, id: string): Promise<Project> {
  return db.selectFrom("projects").select(["id", "number", "name"]).where("id", "=", id).executeTakeFirstOrThrow();
}
