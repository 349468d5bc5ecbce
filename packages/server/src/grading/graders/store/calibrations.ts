import type { JudgeCalibration, JudgeIdentity } from "@svc/contract";
import { readOrganizationId } from "../../../access/projects.ts";
import { ratesOf } from "../../judge/calibration.ts";
import type { Db } from "../../../stores/relational.ts";

const LISTED_MAX = 20;

export type CalibrationStore = {
  /** Stores a calibration in place of the earlier one of the same judge. `owner` is an organization with a model of its own, or empty. */
  put: (owner: string, calibration: JudgeCalibration) => Promise<void>;
  /** Returns the last calibration of each judge of the owner, newest first. */
  list: (owner: string) => Promise<JudgeCalibration[]>;
};

export function createCalibrationStore(db: Db): CalibrationStore {
  return {
    async put(owner, calibration) {
      const row = { calibration: JSON.stringify(calibration), finished_at: calibration.finishedAt };
      await db
        .insertInto("judge_calibrations")
        .values({ judge: keyOf(calibration.judge, owner), organization_id: owner, ...row })
        .onConflict((conflict) => conflict.column("judge").doUpdateSet(row))
        .execute();
    },

    async list(owner) {
      const rows = await db
        .selectFrom("judge_calibrations")
        .select("calibration")
        .where("organization_id", "=", owner)
        .orderBy("finished_at", "desc")
        .limit(LISTED_MAX)
        .execute();
      return rows.map(({ calibration }) => withRates(JSON.parse(calibration) as JudgeCalibration));
    },
  };
}

/** Computes the rates again, because earlier releases stored fewer rates. */
const withRates = (stored: JudgeCalibration): JudgeCalibration => ({
  ...stored,
  ...ratesOf({ passing: stored.falseFail.of, failing: stored.falsePass.of, misses: stored.misses }),
});

/** Returns the calibrations of the model of the project's organization, or else of the model of the service's settings. */
export async function readCalibrations(
  db: Db,
  projectId: string,
  judges: readonly JudgeIdentity[],
): Promise<(judge: JudgeIdentity) => JudgeCalibration | undefined> {
  if (judges.length === 0) return () => undefined;
  const organizationId = await readOrganizationId(db, projectId);
  const keysOf = (judge: JudgeIdentity) => [keyOf(judge, organizationId), keyOf(judge, "")];
  const keys = [...new Set(judges.flatMap(keysOf))];
  const rows = await db.selectFrom("judge_calibrations").selectAll().where("judge", "in", keys).execute();
  const byKey = new Map(rows.map(({ judge, calibration }) => [judge, JSON.parse(calibration) as JudgeCalibration]));
  return (judge) =>
    keysOf(judge)
      .map((key) => byKey.get(key))
      .find((found) => found !== undefined);
}

const keyOf = ({ model, promptVersion, dialect }: JudgeIdentity, owner: string): string =>
  JSON.stringify([model, promptVersion, dialect, ...(owner === "" ? [] : [owner])]);
