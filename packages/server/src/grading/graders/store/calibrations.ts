import type { JudgeCalibration, JudgeIdentity } from "@svc/contract";
import { ratesOf } from "../../judge/calibration.ts";
import type { Db } from "../../../stores/relational.ts";

const LISTED_MAX = 20;

export type CalibrationStore = {
  /** Stores a calibration in place of the earlier one of the same judge. */
  put: (calibration: JudgeCalibration) => Promise<void>;
  /** Returns the last calibration of each judge, newest first. */
  list: () => Promise<JudgeCalibration[]>;
};

export function createCalibrationStore(db: Db): CalibrationStore {
  return {
    async put(calibration) {
      const row = { calibration: JSON.stringify(calibration), finished_at: calibration.finishedAt };
      await db
        .insertInto("judge_calibrations")
        .values({ judge: keyOf(calibration.judge), ...row })
        .onConflict((conflict) => conflict.column("judge").doUpdateSet(row))
        .execute();
    },

    async list() {
      const rows = await db
        .selectFrom("judge_calibrations")
        .select("calibration")
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

export async function readCalibrations(
  db: Db,
  judges: readonly JudgeIdentity[],
): Promise<(judge: JudgeIdentity) => JudgeCalibration | undefined> {
  const keys = [...new Set(judges.map(keyOf))];
  if (keys.length === 0) return () => undefined;
  const rows = await db.selectFrom("judge_calibrations").selectAll().where("judge", "in", keys).execute();
  const byKey = new Map(rows.map(({ judge, calibration }) => [judge, JSON.parse(calibration) as JudgeCalibration]));
  return (judge) => byKey.get(keyOf(judge));
}

const keyOf = ({ model, promptVersion, dialect }: JudgeIdentity): string =>
  JSON.stringify([model, promptVersion, dialect]);
