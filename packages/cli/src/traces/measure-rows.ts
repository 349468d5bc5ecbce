import type { Measure } from "@svc/contract";
import { MEASURES } from "@svc/contract/constants";
import { hang, paint, table } from "../output.ts";
import { amount } from "./amount.ts";

const isKnown = ({ provenance }: Measure) => provenance !== "unavailable";

/** A line for each measure that is known, and below them why the others are not. */
export function measureRows(measures: readonly Measure[]): string {
  const rows = table(
    measures.filter(isKnown),
    [
      { title: "measure", cell: ({ name }) => MEASURES[name].label },
      { title: "value", cell: valueOf, right: true },
      { title: "p50", cell: ({ summary, unit }) => amount(summary.p50, unit), right: true },
      { title: "p95", cell: ({ summary, unit }) => amount(summary.p95, unit), right: true },
      {
        title: "n",
        cell: ({ summary, missing }) => (missing === 0 ? `${summary.n}` : `${summary.n} of ${summary.n + missing}`),
        right: true,
      },
      { title: "provenance", cell: ({ provenance }) => provenance },
    ],
    "No measure is known.",
  );
  return [rows, ...unknown(measures)].join("\n");
}

/** The sum of what is counted, the mean of all else; `none` where it is known that there was nothing to measure. */
function valueOf({ unit, summary }: Measure): string {
  if (summary.n === 0) return "none";
  return unit === "count" || unit === "tokens" ? `${amount(summary.sum, unit)} in all` : amount(summary.mean, unit);
}

function unknown(measures: readonly Measure[]): string[] {
  const byReason = Map.groupBy(
    measures.filter((measure) => !isKnown(measure)),
    ({ reason }) => reason ?? "not known.",
  );
  return [...byReason].map(([reason, of]) => {
    const labels = of.map(({ name }) => MEASURES[name].label).join(", ");
    return paint.dim(hang(`? ${labels}: ${reason}`, 2));
  });
}
