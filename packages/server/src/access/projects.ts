import { cutText, LIMITS, type Resource } from "@svc/contract";
import { AppError, notFound } from "../base/errors.ts";
import type { Db } from "../stores/relational.ts";
import type { Caller, Project } from "./caller.ts";

/** Finds the projects that contain the resource with this id. The result may also contain ids of projects that are not in `projects`. */
export type FindProjects = (id: string, projects: readonly Project[]) => Promise<readonly string[]>;

export type ProjectsOfResources = Record<Resource, FindProjects>;

export type ProjectChoice = {
  named: string | undefined;
  member: "project" | "projectId";
  /** Finds the projects that contain the resource in the path; undefined for an operation without a resource. */
  holding?: ((projects: readonly Project[]) => Promise<readonly string[]>) | undefined;
};

/**
 * Returns the project of a request: the key's project, else the named project, else the organization's only project, else the project of
 * the resource. Throws when a project key names another project, when no project of the organization matches, and when several do.
 */
export async function selectProject(
  db: Db,
  caller: Caller,
  { named, member, holding }: ProjectChoice,
): Promise<Project> {
  const own = caller.project;
  if (own) {
    if (named !== undefined && named !== own.id && named !== own.name) {
      throw new AppError(
        "not_permitted",
        `This key belongs to the project "${own.name}", and to no project "${cutText(named, LIMITS.nameCharacters)}". Omit the project, or use a key of the other one.`,
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

  const projects = await (holding ? visible : visible.limit(2)).execute();
  if (projects.length === 1) return projects[0]!;
  if (!holding) {
    throw ambiguous(member, "this credential does not select exactly one project.");
  }
  const ids = new Set(await holding(projects));
  const holders = projects.filter(({ id }) => ids.has(id));
  if (holders.length === 0) throw notFound();
  if (holders.length === 1) return holders[0]!;
  throw ambiguous(member, "several projects have this id.");
}

const ambiguous = (member: string, reason: string) =>
  new AppError("invalid_request", `Name the project by its id or name in \`${member}\`: ${reason}`, {
    issues: [{ path: member, message: `Required: ${reason}` }],
  });

/** Returns a project of any organization by its id. */
export async function readProject(db: Db, id: string): Promise<Project> {
  return db.selectFrom("projects").select(["id", "number", "name"]).where("id", "=", id).executeTakeFirstOrThrow();
}

export async function readOrganizationId(db: Db, projectId: string): Promise<string> {
  const found = db.selectFrom("projects").select("organization_id").where("id", "=", projectId);
  return (await found.executeTakeFirstOrThrow()).organization_id;
}
