import type { Trace } from "@svc/contract";
import { oneLine, paint } from "../terminal/output.ts";
import { clock, duration } from "../terminal/times.ts";

const DEEPEST_INDENT = 20;

export function spanLines({ spans, spansTruncated }: Trace): string {
  if (spans.length === 0) return "No spans.";
  const firstNs = spans.reduce((least, { startTimeUnixNano }) => {
    const start = BigInt(startTimeUnixNano);
    return start < least ? start : least;
  }, BigInt(spans[0]!.startTimeUnixNano));
  const lines = spans.map((span) => {
    const ms = Number(BigInt(span.startTimeUnixNano) - firstNs) / 1e6;
    const failed =
      span.status === "error" ? paint.red(` error${span.statusMessage ? `: ${oneLine(span.statusMessage)}` : ""}`) : "";
    const took = span.endTimeUnixNano === null ? "not ended" : duration(span.durationMs);
    const indent = "  ".repeat(Math.min(span.depth, DEEPEST_INDENT));
    return `${paint.dim(clock(ms).padStart(8))}  ${indent}${oneLine(span.name)} ${paint.dim(took)}${failed}`;
  });
  return [...lines, ...(spansTruncated ? ["The trace has more spans than the list shows."] : [])].join("\n");
}
