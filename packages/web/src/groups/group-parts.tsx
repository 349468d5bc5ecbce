import type { FailureGroup } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { Check, CircleAlert, EyeOff, RotateCcw } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { scaleOf, Sparkline } from "../ui/small-plots.tsx";
import { trendWords } from "./group-words.ts";

export function StateChip({ group: { state, regressedAt } }: { group: Pick<FailureGroup, "state" | "regressedAt"> }) {
  if (state === "resolved")
    return (
      <Chip tone="passed" icon={Check}>
        Resolved
      </Chip>
    );
  if (state === "ignored")
    return (
      <Chip tone="plain" icon={EyeOff}>
        Ignored
      </Chip>
    );
  return regressedAt === null ? (
    <Chip tone="failed" icon={CircleAlert}>
      Open
    </Chip>
  ) : (
    <Chip tone="failed" icon={RotateCcw}>
      Came back
    </Chip>
  );
}

export function Trend({ group, width }: { group: Pick<FailureGroup, "trend">; width: number }) {
  const last = group.trend.length - 1;
  const points = group.trend.map(({ failures }, index) => ({ at: index / last, value: failures }));
  return <Sparkline label={trendWords(group)} step={1 / last} width={width} points={points} scale={scaleOf(points)} />;
}

export function GroupsLink({ button = false }: { button?: boolean }) {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/groups" params={params} {...(button && { className: buttonClass() })}>
      {button ? "Show the failure groups" : "Failure groups"}
    </Link>
  );
}
