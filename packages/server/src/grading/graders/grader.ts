import type { Grade, GraderDefinition, GraderSettings } from "@svc/contract";
import type { ShippedRecord, VersionedRecord } from "../../base/versions.ts";

/** Content of one version of a grader. It never changes. */
export type GraderContent = { definition: GraderDefinition };

/** Grader of a project, or shipped grader, with the project's settings of the grader. */
export type ProjectGrader = VersionedRecord<GraderContent> & { archived_at: string | null; settings: GraderSettings };

/** Grader that ships with the service. A project has these settings until it changes them. */
export type ShippedGrader = ShippedRecord<GraderContent> & { settings: GraderSettings };

/** Version of a grader with which a run or a conversation is graded. */
export type PinnedGrader = {
  id: string;
  graderId: string;
  name: string;
  definition: GraderDefinition;
  /** Whether the grades count for the verdict of a simulation. */
  counts: boolean;
};

/** Returns the current version of the grader with its current settings. */
export const pinGrader = ({ id: graderId, name, current, settings }: ProjectGrader): PinnedGrader => ({
  id: current.id,
  graderId,
  name,
  definition: current.content.definition,
  counts: settings.counts,
});

/** Grade before it is stored. */
export type NewGrade = Omit<Grade, "id" | "gradedAt" | "labels" | "calibration">;

/** Returns whether the grade failed and counts for the verdict. */
export const isFailed = ({ verdict, counts }: Pick<NewGrade, "verdict" | "counts">): boolean =>
  verdict === "failed" && counts;
