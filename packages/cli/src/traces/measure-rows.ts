import type { Measure } from "@svc/contract";
import { MEASURES, withoutUnheard } from "@svc/contract/constants";
import { hang, paint, table } from "../terminal/output.ts";
import { amount } from "./amount.ts";

const isKnown = ({ provenance }: Measure) => provenance !== "unavailable";

export function measureRows(all: readonly Measure[]): string {
  const measures = withoutUnheard(all);
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
    "No known measures.",
  );
  return [rows, ...unknownLines(measures)].join("\n");
}

function valueOf({ unit, summary }: Measure): string {
  if (summary.n === 0) return "none";
  return unit === "count" || unit === "tokens" ? `${amount(summary.sum, unit)} in total` : amount(summary.mean, unit);
}

function unknownLines(measures: readonly Measure[]): string[] {
  const byReason = Map.groupBy(
    measures.filter((measure) => !isKnown(measure)),
    ({ reason }) => reason ?? "unknown.",
  );
  return [...byReason].map(([reason, group]) => {
    const labels = group.map(({ name }) => MEASURES[name].label).join(", ");
    return paint.dim(hang(`? ${labels}: ${reason}`, 2));
  });
}
