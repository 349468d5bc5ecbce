import type { ComparedQuantity, MeasureName, operations, VersionVerdict } from "@svc/contract";
import { MEASURE_NAMES, MEASURES, STATISTICS } from "@svc/contract/constants";
import type { z } from "zod";
import { AppError } from "../../../base/errors.ts";
import { reversedPeriod } from "../../../http/validate.ts";
import type { GraderDecision } from "../store/production.ts";
import type { VersionSamples } from "../../../traces/store/trace-store.ts";
import { isNoticed } from "../../statistics/compare.ts";
import {
  compareGroups,
  type ComparedGroups,
  CONVERSATIONS_MIN,
  type Quantity,
} from "../../statistics/compare-groups.ts";
import { significantTests } from "../../statistics/discrete-step-up.ts";
import type { Share } from "../../statistics/permutation-test.ts";

type CompareQuery = z.output<(typeof operations.agentVersions.compare)["query"]>;

const DEFAULT_MS = 7 * 24 * 3_600_000;

/** Upper limit of the expected share of false differences among the reported differences. */
const LEVEL = 0.05;

export function decideComparison(query: CompareQuery, nowMs: number): { fromMs: number; toMs: number } {
  if (query.version === query.with)
    throw new AppError("unprocessable", "`version` and `with` are the same. Name two different versions.");
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? Math.max(0, toMs - DEFAULT_MS) : Date.parse(query.from);
  if (fromMs >= toMs) throw reversedPeriod("`from` must be before `to`.");
  return { fromMs, toMs };
}

export type VersionOutcomes = Omit<VersionSamples, "total"> & { grades: readonly GraderDecision[] };

type Named = Pick<ComparedQuantity, "kind" | "label" | "measure" | "statistic" | "graderId" | "unit">;

/** Compares two versions of an agent. The result does not depend on the order of the conversations. */
export function* computeVersionComparison(
  first: VersionOutcomes,
  second: VersionOutcomes,
): Generator<void, ComparedQuantity[]> {
  const compared: (Named & ComparedGroups)[] = [];
  for (const { named, quantity } of quantitiesOf(first, second)) {
    if (quantity.first.length === 0 || quantity.second.length === 0) continue;
    const seed = `${named.kind} ${named.measure} ${named.statistic} ${named.graderId}`;
    compared.push({ ...named, ...(yield* compareGroups(quantity, seed)) });
    yield;
  }
  const tested = compared.flatMap(({ test }, at) => (test === null ? [] : [{ ...test, at }]));
  const significant = new Set(significantTests(tested, LEVEL).map((index) => tested[index]!.at));
  yield;
  return compared.map(({ test, interval, ...quantity }, at) => ({
    ...quantity,
    low: interval && interval.low,
    high: interval && interval.high,
    p: test && test.p,
    verdict: test === null ? "too_few" : verdictOf(quantity, significant.has(at)),
  }));
}

function verdictOf(
  { kind, measure, unit, first, difference }: Named & Pick<ComparedGroups, "first" | "difference">,
  isSignificant: boolean,
): VersionVerdict {
  const isTooSmall = difference === 0 || (unit === "ms" && !isNoticed(first.value!, difference!));
  if (!isSignificant || isTooSmall) return "no_difference_shown";
  const better = kind === "measure" ? MEASURES[measure!].better : "lower";
  if (better === "neither") return "differs";
  return difference! > 0 === (better === "higher") ? "better" : "worse";
}

function* quantitiesOf(
  first: VersionOutcomes,
  second: VersionOutcomes,
): Generator<{ named: Named; quantity: Quantity }> {
  const rate = (kind: Named["kind"], label: string, graderId: string | null = null): Named => ({
    kind,
    label,
    measure: null,
    statistic: null,
    graderId,
    unit: "ratio",
  });
  const rateOf = (shares: (side: VersionOutcomes) => Share[]): Quantity => ({
    kind: "rate",
    first: shares(first),
    second: shares(second),
  });
  yield { named: rate("errors", "Conversations with an error"), quantity: rateOf(errorShares) };
  yield { named: rate("failed_tool_calls", "Failed tool calls"), quantity: rateOf(toolShares) };
  for (const [graderId, name] of gradersOf([...first.grades, ...second.grades]))
    yield {
      named: rate("grader", `Failed by ${name}`, graderId),
      quantity: rateOf((side) => graderShares(side, graderId)),
    };
  const [ofFirst, ofSecond] = [valuesByMeasure(first), valuesByMeasure(second)];
  for (const measure of MEASURE_NAMES) {
    const [one, other] = [ofFirst.get(measure), ofSecond.get(measure)];
    if (one === undefined || other === undefined) continue;
    const { label, unit } = MEASURES[measure];
    // Each sample of a count is 0 or 1, so a percentile could only be 0 or 1.
    for (const statistic of unit === "count" ? (["mean"] as const) : STATISTICS)
      yield {
        named: { kind: "measure", label: `${label} ${statistic}`, measure, statistic, graderId: null, unit },
        quantity: { kind: statistic, first: one, second: other },
      };
  }
}

const errorShares = ({ conversations }: VersionOutcomes): Share[] =>
  conversations.map(({ hasErrors }) => ({ part: Number(hasErrors), whole: 1 }));

function toolShares({ toolCalls }: VersionOutcomes): Share[] {
  const shares = new Map<number, Share>();
  for (let at = 0; at < toolCalls.length; at += 2) {
    const place = toolCalls[at]!;
    const { part, whole } = shares.get(place) ?? { part: 0, whole: 0 };
    shares.set(place, { part: part + toolCalls[at + 1]!, whole: whole + 1 });
  }
  return [...shares.values()];
}

const graderShares = ({ grades }: VersionOutcomes, graderId: string): Share[] =>
  grades.flatMap((grade) => (grade.graderId === graderId ? [{ part: Number(grade.failed), whole: 1 }] : []));

const gradersOf = (grades: readonly GraderDecision[]): [string, string][] =>
  [...new Map(grades.map(({ graderId, graderName }) => [graderId, graderName]))].sort(([, one], [, other]) =>
    one < other ? -1 : 1,
  );

/** Returns the values of each measure, with one array for each conversation. */
function valuesByMeasure({ samples }: VersionOutcomes): Map<MeasureName, number[][]> {
  const byMeasure = new Map<MeasureName, Map<number, number[]>>();
  for (let at = 0; at < samples.length; at += 3) {
    const [place, measure, value] = [samples[at]!, MEASURE_NAMES[samples[at + 1]!]!, samples[at + 2]!];
    const ofMeasure = byMeasure.get(measure) ?? new Map<number, number[]>();
    byMeasure.set(measure, ofMeasure);
    const own = ofMeasure.get(place);
    if (own === undefined) ofMeasure.set(place, [value]);
    else own.push(value);
  }
  return new Map([...byMeasure].map(([measure, values]) => [measure, [...values.values()]]));
}

type WordsOf = {
  agent: string;
  first: { version: string; conversations: number; compared: number };
  second: { version: string; conversations: number; compared: number };
  quantities: readonly ComparedQuantity[];
};

const NAMED_MAX = 4;

export function comparisonWords({ agent, first, second, quantities }: WordsOf): string[] {
  const notes: string[] = [];
  for (const { version, conversations, compared } of [first, second]) {
    if (conversations === 0)
      notes.push(`No production conversation of ${agent} with the version ${version} started in this period.`);
    else if (compared < CONVERSATIONS_MIN)
      notes.push(
        `The version ${version} has ${counted(compared)} in this period; at least ${CONVERSATIONS_MIN} are needed.`,
      );
    else if (compared < conversations)
      notes.push(`Of the version ${version}, the newest ${compared} of ${conversations} conversations are compared.`);
  }
  if (first.compared === 0 || second.compared === 0) return ["Nothing to compare.", ...notes];
  const parts = (["worse", "better", "differs"] as const).flatMap((verdict) => {
    const labels = quantities.filter((quantity) => quantity.verdict === verdict).map(({ label }) => label);
    if (labels.length === 0) return [];
    const more = labels.length - NAMED_MAX;
    const named = labels.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
    return [`${verdict === "differs" ? "different" : verdict}: ${named}`];
  });
  const tested = quantities.filter(({ verdict }) => verdict !== "too_few").length;
  const result =
    parts.length > 0
      ? `The version ${second.version} is, beside ${first.version}, ${parts.join("; ")}.`
      : tested > 0
        ? `No difference shown between the versions ${first.version} and ${second.version} in ${tested} quantities.`
        : `Too few conversations to compare the versions ${first.version} and ${second.version}.`;
  return [result, ...notes, CAUSE];
}

const CAUSE = "The versions talked with other callers at other times: a difference is no proof of its cause.";

const counted = (count: number) => `${count} conversation${count === 1 ? "" : "s"}`;
