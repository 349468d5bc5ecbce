import { type Interval, meanOfShares, wilson } from "./statistics.ts";

type Side = "passed" | "failed";

/** Smallest number of labels for an agreement. With fewer labels, it may be chance. */
const AGREEMENT_LABELS_MIN = 20;
/** Smallest number of labels with one verdict for a share of wrong grades. With fewer labels, it may be chance. */
const SIDE_LABELS_MIN = 10;

/** Share with its 95 percent Wilson interval. Null, with a reason, if there are too few labels. */
type MeasuredShare = { value: number | null; low: number | null; high: number | null };

type Agreement = {
  labels: number;
  agreement: number | null; // share of the labels that equal the grade
  agreementLow: number | null;
  agreementHigh: number | null;
  kappa: number | null; // Cohen's kappa: agreement beyond chance
  kappaLow: number | null;
  kappaHigh: number | null;
  falsePass: number | null; // share of passes among conversations that people labeled failed
  falsePassLow: number | null;
  falsePassHigh: number | null;
  falseFail: number | null; // share of fails among conversations that people labeled passed
  falseFailLow: number | null;
  falseFailHigh: number | null;
  balancedAccuracy: number | null; // mean of the shares of right grades among passing and among failing conversations
  balancedAccuracyLow: number | null;
  balancedAccuracyHigh: number | null;
  /** Why a value is null; null if all values are known. */
  missing: string | null;
};

/**
 * Returns the agreement of a grader with people, with Wilson's 95 percent intervals. Kappa is Cohen's kappa (1960). Its interval treats the
 * agreement by chance as exact. The interval of balanced accuracy is computed from the intervals of both sides (MOVER, Zou and Donner
 * 2008).
 */
export function agreementOf(labels: readonly { grader: Side; person: Side }[]): Agreement {
  const count = (grader: Side, person: Side) =>
    labels.filter((label) => label.grader === grader && label.person === person).length;
  const [bothPass, falsePass] = [count("passed", "passed"), count("passed", "failed")];
  const [falseFail, bothFail] = [count("failed", "passed"), count("failed", "failed")];
  const n = labels.length;
  const [failed, passed] = [falsePass + bothFail, falseFail + bothPass];
  const agreed = shareOf(bothPass + bothFail, n, AGREEMENT_LABELS_MIN);
  const byChance = ((bothPass + falsePass) * passed + (falseFail + bothFail) * failed) / (n * n);
  const beyondChance = (share: number | null) =>
    share === null || byChance === 1 ? null : Math.max(-1, (share - byChance) / (1 - byChance));
  const wrongPass = shareOf(falsePass, failed, SIDE_LABELS_MIN);
  const wrongFail = shareOf(falseFail, passed, SIDE_LABELS_MIN);
  const balanced =
    Math.min(failed, passed) < SIDE_LABELS_MIN
      ? null
      : meanOfShares({ hits: bothFail, count: failed }, { hits: bothPass, count: passed });
  return {
    labels: n,
    agreement: agreed.value,
    agreementLow: agreed.low,
    agreementHigh: agreed.high,
    kappa: beyondChance(agreed.value),
    kappaLow: beyondChance(agreed.low),
    kappaHigh: beyondChance(agreed.high),
    falsePass: wrongPass.value,
    falsePassLow: wrongPass.low,
    falsePassHigh: wrongPass.high,
    falseFail: wrongFail.value,
    falseFailLow: wrongFail.low,
    falseFailHigh: wrongFail.high,
    balancedAccuracy: balanced && balanced.mean,
    balancedAccuracyLow: balanced && balanced.low,
    balancedAccuracyHigh: balanced && balanced.high,
    missing: missingWords(n, failed, passed, byChance),
  };
}

function shareOf(part: number, whole: number, least: number): MeasuredShare {
  const interval: Interval | null = whole < least ? null : wilson(part, whole);
  if (interval === null) return { value: null, low: null, high: null };
  return { value: part / whole, low: interval.low, high: interval.high };
}

function missingWords(labels: number, failed: number, passed: number, byChance: number): string | null {
  const missing: string[] = [];
  if (labels < AGREEMENT_LABELS_MIN)
    missing.push(`Agreement needs at least ${AGREEMENT_LABELS_MIN} labels of judged grades; there are ${labels}.`);
  else if (byChance === 1) missing.push("Kappa needs labels or grades of both verdicts.");
  for (const [verdict, number, share] of [
    ["failed", failed, "false passes"],
    ["passed", passed, "false fails"],
  ] as const) {
    if (number < SIDE_LABELS_MIN)
      missing.push(
        `The share of ${share} needs at least ${SIDE_LABELS_MIN} labels \`${verdict}\`; there are ${number}.`,
      );
  }
  return missing.length === 0 ? null : missing.join(" ");
}

export type PairsOfLabels = { bothPass: number; differ: number; bothFail: number };

type PeopleAgreement = {
  grades: number;
  agreement: number | null; // share of the grades whose two labels are equal
  agreementLow: number | null;
  agreementHigh: number | null;
  kappa: number | null;
  kappaLow: number | null;
  kappaHigh: number | null;
  missing: string | null;
};

/**
 * Returns the agreement of two people who labeled the same grades. The two people differ from grade to grade, and their order has no
 * meaning. Kappa is therefore the intraclass kappa (Scott's pi), with the goodness-of-fit interval of Donner and Eliasziw (Statistics in
 * Medicine 11, 1992, 1511-1519). From 25 grades on, the coverage of this interval is close to 95 percent.
 */
export function agreementOfPeople({ bothPass, differ, bothFail }: PairsOfLabels): PeopleAgreement {
  const grades = bothPass + differ + bothFail;
  const agreed = shareOf(bothPass + bothFail, grades, AGREEMENT_LABELS_MIN);
  const kappa = agreed.value === null ? null : intraclassKappa({ bothPass, differ, bothFail });
  return {
    grades,
    agreement: agreed.value,
    agreementLow: agreed.low,
    agreementHigh: agreed.high,
    kappa: kappa && kappa.value,
    kappaLow: kappa && kappa.low,
    kappaHigh: kappa && kappa.high,
    missing:
      agreed.value === null
        ? `Agreement between people needs at least ${AGREEMENT_LABELS_MIN} grades with two labels; there are ${grades}.`
        : kappa === null
          ? "Kappa needs labels of both verdicts."
          : null,
  };
}

/** The 95th percentile of the chi-squared distribution with one degree of freedom. */
const CHI_SQUARED_95 = 3.841458820694124;
const BISECTIONS = 60;

function intraclassKappa({ bothPass, differ, bothFail }: PairsOfLabels): (Interval & { value: number }) | null {
  const n = bothPass + differ + bothFail;
  const share = (2 * bothPass + differ) / (2 * n);
  const spread = share * (1 - share);
  if (spread === 0) return null;
  const value = 1 - differ / (2 * n * spread);
  /** Returns the chi-squared distance between the counts and the counts that a kappa predicts for this share of passes. */
  const distance = (kappa: number) => {
    const expected = [share ** 2 + spread * kappa, 2 * spread * (1 - kappa), (1 - share) ** 2 + spread * kappa];
    return [bothPass, differ, bothFail].reduce((sum, count, at) => {
      const wanted = n * expected[at]!;
      return sum + (count === wanted ? 0 : (count - wanted) ** 2 / wanted);
    }, 0);
  };
  // Below this kappa, an expected count would be negative.
  const least = Math.max(-share / (1 - share), -(1 - share) / share);
  return { value, low: edgeOf(distance, value, least), high: edgeOf(distance, value, 1) };
}

/** Returns the last value from `inside` to `end` at which the distance is within the limit. */
function edgeOf(distance: (kappa: number) => number, inside: number, end: number): number {
  if (distance(end) <= CHI_SQUARED_95) return end;
  let [within, beyond] = [inside, end];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (within + beyond) / 2;
    if (distance(middle) <= CHI_SQUARED_95) within = middle;
    else beyond = middle;
  }
  return within;
}
