import type { AgentPassRate, TestPassRate } from "@svc/contract";
import { type ListStart, moreLine } from "../terminal/list.ts";
import { type Column, paint, table } from "../terminal/output.ts";
import { ago } from "../terminal/times.ts";

export const percentWords = (share: number | null): string => (share === null ? "?" : `${Math.round(share * 100)} %`);

type Rate = TestPassRate | AgentPassRate;

export function passRatesText(rates: ListStart<Rate>): string {
  const columns: Column<Rate>[] = [
    { title: "created", cell: ({ createdAt }) => ago(createdAt) },
    { title: "passed", cell: ({ passed, played }) => `${passed} of ${played}`, right: true },
    { title: "pass rate", cell: rateWords, right: true },
    { title: "undecided", cell: ({ undecided }) => String(undecided), right: true },
    { title: "errors", cell: ({ errored }) => String(errored), right: true },
    { title: "run", cell: ({ runId }) => runId },
    { title: "name", cell: ({ runName }) => runName ?? "", spare: 1 },
  ];
  return table(rates.items, columns, paint.dim("No runs yet.")) + moreLine(rates);
}

function rateWords(rate: Rate): string {
  if (!("passRateLow" in rate) || rate.passRateLow === null || rate.passRateHigh === null)
    return percentWords(rate.passRate);
  return `${percentWords(rate.passRate)} (${percentWords(rate.passRateLow)} to ${percentWords(rate.passRateHigh)})`;
}
