import type { operations, ReviewSettings } from "@svc/contract";
import type { z } from "zod";
import { AppError, notFound } from "../../../base/errors.ts";
import type { Routes } from "../../../http/operation.ts";
import { pageRequest } from "../../../stores/page.ts";
import type { GraderStore } from "../store/graders.ts";
import type { GradeStore } from "../store/grades.ts";
import type { LabelStore } from "../store/labels.ts";
import { presentItem, presentQueue } from "./present.ts";
import { decideGrade } from "./rules.ts";
import type { ItemRow, ReviewStore } from "./store/items.ts";
import type { StoredSettings } from "./store/settings.ts";

type Needs = { review: ReviewStore; graders: GraderStore; grades: GradeStore; labels: LabelStore };

export function reviewRoutes({ review, graders, grades, labels }: Needs): Routes<"review"> {
  const presentSettings = async (projectId: string, stored: StoredSettings) => ({
    queue: presentQueue(stored, await review.count(projectId)),
  });

  async function presentItems(rows: readonly ItemRow[]) {
    const details = await review.detailsOf(rows);
    return rows.map((row) => presentItem(row, details.get(row.id)!));
  }

  async function withGrades(projectId: string, row: ItemRow) {
    const [item] = await presentItems([row]);
    return { item: item!, grades: await grades.listOf(projectId, item!.gradeIds) };
  }

  return {
    review: {
      queue: async ({ project }) => presentSettings(project.id, await review.settings(project.id)),

      configure: async ({ project, body }) => {
        for (const id of body.graderIds ?? []) await requireGrader(graders, project.id, id);
        const stored = await review.configure(project.id, (current) => changed(current, body));
        return presentSettings(project.id, stored);
      },

      list: async ({ project, query: { pageSize, pageToken, projectId: _, ...filters } }) => {
        const page = await review.list(project.id, filters, pageRequest("rvi", pageSize, pageToken));
        return { items: await presentItems(page.items), nextPageToken: page.next };
      },

      get: async ({ project, params }) => withGrades(project.id, await review.get(project.id, params.reviewItemId)),

      next: async ({ project, caller, body }) => {
        const row = await review.take(project.id, caller.userId, body);
        return row === undefined ? { item: null, grades: [] } : withGrades(project.id, row);
      },

      label: async ({ project, caller, params, body: { gradeId, ...label } }) => {
        const found = await withGrades(project.id, await review.get(project.id, params.reviewItemId));
        const grade = decideGrade(found.grades, gradeId, caller.userId);
        await labels.put(project.id, grade, caller.userId, label);
        return withGrades(project.id, await review.get(project.id, params.reviewItemId));
      },

      skip: async ({ project, caller, params }) => {
        await review.skip(project.id, params.reviewItemId, caller.userId);
        return withGrades(project.id, await review.get(project.id, params.reviewItemId));
      },
    },
  };
}

type Change = z.output<(typeof operations.review.configure)["body"]>;

const changed = (current: ReviewSettings, { sources, graderIds, ...change }: Change): ReviewSettings => ({
  ...current,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
  sources: sources === undefined ? current.sources : [...new Set(sources)],
  graderIds: graderIds === undefined ? current.graderIds : [...new Set(graderIds)],
});

async function requireGrader(graders: GraderStore, projectId: string, id: string): Promise<void> {
  await graders.get(projectId, id).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== notFound().code) throw error;
    throw new AppError("unprocessable", `The project has no grader ${id}. List its graders to see their ids.`);
  });
}
