import type { MetricsPeriod } from "../../metrics/metric-rules.ts";

export function conditionsOf(
  { agents, versions, channels, source }: Pick<MetricsPeriod, "agents" | "versions" | "channels" | "source">,
  bind: (value: string) => string,
): string[] {
  const where: string[] = [];
  if (agents !== undefined) where.push(`agent IN (${agents.map(bind).join(", ")})`);
  if (versions !== undefined) where.push(`agent_version IN (${versions.map(bind).join(", ")})`);
  if (channels !== undefined) where.push(`channel IN (${channels.map(bind).join(", ")})`);
  if (source !== undefined) where.push(`source = ${bind(source)}`);
  return where;
}
