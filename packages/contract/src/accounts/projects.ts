import { z } from "zod";
import { managesOrganization, readsOrganization } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { positive } from "../core/numbers.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { createOperation, editOperation, getOperation } from "../core/resource-operations.ts";
import { nameText, textUpTo } from "../core/texts.ts";

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Project of the organization. It owns tests, agents, runs and conversations. */
export const Project = z
  .strictObject({
    id: id("prj"),
    name: z.string(),
    slug: z.string().regex(SLUG).meta({ description: "Lower-case name for URLs, unique in the organization." }),
    retentionDays: positive(
      "Number of days after which a conversation of the project is erased, counted from the receipt of its spans. A shorter retention of the whole service takes precedence. Null: only the retention of the service applies.",
    ).nullable(),
    versionAttribute: z.string().nullable().meta({
      description:
        "Name of the span or resource attribute that contains the agent's version. It takes precedence over the attributes that the service knows. Null: the service reads only the attributes that it knows.",
    }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Project" });

const name = nameText().meta({ description: "Unique in the organization." });
const slug = textUpTo(63)
  .refine((text) => SLUG.test(text), "Use lower-case letters, digits and single hyphens.")
  .meta({
    description: "Lower-case letters, digits and single hyphens.",
    example: "front-desk",
    override: { pattern: SLUG.source },
  });

const retentionDays = z.int().min(1).max(LIMITS.retentionDays).nullable().meta({
  description:
    "Number of days after which a conversation of the project is erased, counted from the receipt of its spans. A shorter retention of the whole service takes precedence. Null: only the retention of the service applies.",
});

const versionAttribute = textUpTo(LIMITS.attributeNameCharacters).nullable().meta({
  description:
    "Name of the span or resource attribute that contains the agent's version. It takes precedence over the attributes that the service knows. Null removes this setting. A change applies to conversations that the service reads later.",
});

const all = {
  tag: "Organizations and projects",
  path: "/v1/projects",
  answer: z.strictObject({ project: Project }),
} as const;
const one = {
  ...all,
  path: "/v1/projects/{projectId}",
  params: z.strictObject({ projectId: idInput("prj") }),
} as const;

/** The organization's projects. */
export const projects = {
  /** Lists every project of the organization, newest first. A project-scoped key sees only its own project. */
  list: getOperation({
    ...all,
    ...readsOrganization,
    summary: "List projects",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ projects: z.array(Project), mayManageProjects: z.boolean(), nextPageToken }),
  }),

  /** Creates a project, with a test suite named "Default". */
  create: createOperation({
    ...all,
    ...managesOrganization,
    summary: "Create a project",
    body: z.strictObject({
      name,
      slug: slug.optional(),
      retentionDays: retentionDays.optional(),
      versionAttribute: versionAttribute.optional(),
    }),
    errors: ["name_taken"],
  }),

  /**
   * Changes the project's name, its slug, the retention of its conversations, or the attribute with the version of its agents.
   * An omitted member does not change.
   */
  edit: editOperation({
    ...one,
    ...managesOrganization,
    summary: "Edit a project",
    body: z.strictObject({
      name: name.optional(),
      slug: slug.optional(),
      retentionDays: retentionDays.optional(),
      versionAttribute: versionAttribute.optional(),
    }),
    errors: ["name_taken"],
  }),
};
