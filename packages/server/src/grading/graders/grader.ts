import type { Grade, GraderDefinition, GraderSettings } from "@svc/contract";
import type { ShippedRecord, VersionedRecord } from "../../base/versions.ts";

/** The content of a version never changes. */
export type GraderContent = { definition: GraderDefinition };

export type ProjectGrader = VersionedRecord<GraderContent> & { archived_at: string | null; settings: GraderSettings };

/** A grader that every project has. The settings apply until the project changes them. */
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

export const pinGrader = ({ id: graderId, name, current, settings }: ProjectGrader): PinnedGrader => ({
  id: current.id,
  graderId,
  name,
  definition: current.content.definition,
  counts: settings.counts,
});

export type NewGrade = Omit<Grade, "id" | "gradedAt" | "labels" | "calibration">;

export const isFailed = ({ verdict, counts }: Pick<NewGrade, "verdict" | "counts">): boolean =>
  verdict === "failed" && counts;
