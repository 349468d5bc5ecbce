import { z } from "zod";
import { managesOrganization, readsOrganization } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { textUpTo } from "../core/texts.ts";

/** What tests, agents, runs and conversations belong to. */
export const Project = z
  .strictObject({
    id: id("prj"),
    name: z.string(),
    slug: z.string().meta({ description: "Lower-case name for addresses, unique in the organization." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Project" });

const name = textUpTo(LIMITS.nameCharacters).meta({ description: "Unique in the organization." });
const slug = textUpTo(63)
  .refine((text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text), "Use lower-case letters, digits and single hyphens.")
  .meta({ description: "Lower-case letters, digits and single hyphens.", example: "front-desk" });
const params = z.strictObject({ projectId: idInput("prj") });
const answer = z.strictObject({ project: Project });
const tag = "Organizations and projects";

/** The organization's projects. */
export const projects = {
  /** Lists the projects that the credential reaches: every one of the organization, or a project key's own. */
  list: operation({
    method: "GET",
    path: "/v1/projects",
    summary: "List projects",
    tag,
    ...readsOrganization,
    query: z.strictObject(pageQuery),
    status: 200,
    answer: z.strictObject({ projects: z.array(Project), mayManageProjects: z.boolean(), nextPageToken }),
  }),

  /** Creates a project with its suite "Default". */
  create: operation({
    method: "POST",
    path: "/v1/projects",
    summary: "Create a project",
    tag,
    ...managesOrganization,
    body: z.strictObject({ name, slug: slug.optional() }),
    status: 201,
    answer,
    errors: ["name_taken"],
  }),

  /** Answers a project that the credential reaches. */
  get: operation({
    method: "GET",
    path: "/v1/projects/{projectId}",
    summary: "Show a project",
    tag,
    ...readsOrganization,
    params,
    status: 200,
    answer,
  }),

  /** Changes the name, the slug or both. */
  edit: operation({
    method: "PATCH",
    path: "/v1/projects/{projectId}",
    summary: "Rename a project",
    tag,
    ...managesOrganization,
    params,
    body: z.strictObject({ name: name.optional(), slug: slug.optional() }),
    status: 200,
    answer,
    errors: ["name_taken"],
  }),
};
