import type {
  Grader as GraderAnswer,
  GraderAgreement,
  GraderVersion as VersionAnswer,
  JudgeCalibration,
  JudgeRates,
  LabeledGrade,
} from "@svc/contract";
import { agreementOf, agreementOfPeople, type PairsOfLabels } from "../statistics/agreement.ts";
import type { ProjectGrader } from "./grader.ts";
import { judgeName } from "./judge-of.ts";
import type { LabelCount } from "./rules.ts";
import type { LabeledGradeRow } from "./store/labels.ts";

/** Returns a row of agreement for each judge. Grades that code decided have a separate row, because code follows a fixed rule. */
export function presentAgreement(
  { current }: ProjectGrader,
  counts: readonly LabelCount[],
  pairs: ReadonlyMap<string, PairsOfLabels>,
): GraderAgreement[] {
  const versions = new Map([current, ...counts].map(({ id, version }) => [id, version]));
  return [...versions]
    .sort(([, one], [, other]) => other - one)
    .flatMap(([versionId, version]) => {
      const ofVersion = counts.filter(({ id }) => id === versionId);
      const byJudge = Map.groupBy(
        ofVersion.filter(({ judge }) => judge !== null),
        ({ judge }) => judgeName(judge!),
      );
      const byCode = sumOf(ofVersion.filter(({ judge }) => judge === null));
      const judges = byJudge.size === 0 ? [[]] : [...byJudge.values()];
      const people = agreementOfPeople(pairs.get(versionId) ?? { bothPass: 0, differ: 0, bothFail: 0 });
      return judges.map((own) => ({ versionId, version, judgedByCode: byCode, people, ...agreementOfJudge(own) }));
    });
}

function agreementOfJudge(counts: readonly LabelCount[]) {
  const sure = counts.filter(({ verdict }) => verdict !== "unsure");
  const decided = sure.flatMap(({ graded: grader, verdict, count }) =>
    grader === "passed" || grader === "failed"
      ? Array.from({ length: count }, () => ({ grader, person: verdict as "passed" | "failed" }))
      : [],
  );
  return {
    judge: counts[0]?.judge ?? null,
    undecided: sumOf(sure) - decided.length,
    unsure: sumOf(counts) - sumOf(sure),
    ...agreementOf(decided),
  };
}

const sumOf = (counts: readonly LabelCount[]) => counts.reduce((sum, { count }) => sum + count, 0);

export const presentRates = ({
  setVersion,
  accuracy,
  falsePass,
  falseFail,
  undecided,
  finishedAt,
}: JudgeCalibration): JudgeRates => ({ setVersion, accuracy, falsePass, falseFail, undecided, finishedAt });

export function presentGrader(grader: ProjectGrader): GraderAnswer {
  const { id, project_id, name, current, settings, archived_at, created_at, updated_at } = grader;
  return {
    id,
    projectId: project_id,
    name,
    source: project_id === null ? "shipped" : "own",
    version: current.version,
    versionId: current.id,
    definition: current.content.definition,
    ...settings,
    archived: archived_at !== null,
    archivedAt: archived_at,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

export function presentVersion(grader: ProjectGrader, version: ProjectGrader["current"]): VersionAnswer {
  return {
    id: version.id,
    graderId: grader.id,
    graderName: grader.name,
    version: version.version,
    current: version.id === grader.current.id,
    definition: version.content.definition,
    createdAt: version.created_at,
  };
}

/** `runId` is null for a production conversation. */
export const presentLabel = (row: LabeledGradeRow, runId: string | null): LabeledGrade => ({
  gradeId: row.grade_id,
  graderVersionId: row.grader_version_id,
  version: row.version ?? 1,
  criterion: row.criterion,
  graded: row.graded,
  verdict: row.verdict,
  note: row.note,
  userId: row.user_id,
  userName: row.user_name,
  labeledAt: row.labeled_at,
  runId,
  simulationId: row.simulation_id,
  conversation: row.conversation,
});
