import type { Grade, GraderDefinition, GraderSettings } from "@svc/contract";
import type { ShippedRecord, VersionedRecord } from "../../base/versions.ts";

/** The content of one version of a grader, which never changes. */
export type GraderContent = { definition: GraderDefinition };

/** A grader of a project or a shipped grader, with the project's settings for it. */
export type ProjectGrader = VersionedRecord<GraderContent> & { archived_at: string | null; settings: GraderSettings };

/** A grader that ships with the service, with the settings that it has until a project changes them. */
export type ShippedGrader = ShippedRecord<GraderContent> & { settings: GraderSettings };

/** The version of a grader that a run or a conversation is graded by. */
export type PinnedGrader = {
  id: string;
  graderId: string;
  name: string;
  definition: GraderDefinition;
  /** Whether its grades count towards the verdict of a simulation. */
  counts: boolean;
};

/** Returns the current version of the grader, with its current settings. */
export const pinGrader = ({ id: graderId, name, current, settings }: ProjectGrader): PinnedGrader => ({
  id: current.id,
  graderId,
  name,
  definition: current.content.definition,
  counts: settings.counts,
});

/** A grade before it is stored. */
export type NewGrade = Omit<Grade, "id" | "gradedAt" | "labels" | "calibration">;

/** Returns whether the grade counts and failed. */
export const isFailed = ({ verdict, counts }: Pick<NewGrade, "verdict" | "counts">): boolean =>
  verdict === "failed" && counts;
