import type { Grade, GraderDefinition, GraderSettings } from "@svc/contract";

export type Definition = GraderDefinition;
export type Settings = GraderSettings;

export type GraderVersion = {
  id: string;
  graderId: string;
  version: number;
  definition: Definition;
  /** Null for what ships with the service, here and below. */
  createdAt: string | null;
};

/** With the settings of the project that it is read for. */
export type Grader = {
  id: string;
  projectId: string | null;
  name: string;
  current: GraderVersion;
  settings: Settings;
  archivedAt: string | null;
  createdAt: string | null;
  updatedAt: string | null;
};

/** One version of a grader, as a run takes it along. */
export type PinnedGrader = {
  id: string;
  graderId: string;
  name: string;
  definition: Definition;
  /** False: shown, and without influence on the verdict. */
  counts: boolean;
};

export const pinned = ({ id: graderId, name, current, settings }: Grader): PinnedGrader => ({
  id: current.id,
  graderId,
  name,
  definition: current.definition,
  counts: settings.counts,
});

/** A verdict before it is kept. */
export type NewGrade = Omit<Grade, "id" | "gradedAt" | "labels">;
