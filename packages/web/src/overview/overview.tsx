import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { buttonClass, WideWords } from "../ui/button.tsx";
import { Columns } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { AgentsTable } from "./agents-table.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { ConversationsCard } from "./conversations-card.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { NewestRuns } from "./newest-runs.tsx";
import { type Period, PERIOD_NAMES } from "../periods.ts";
import { conversationCountsQuery, newestRunsQuery } from "./queries.ts";
import { TroubledConversations } from "./troubled-conversations.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/");

/** Shows what needs a person, then the conversations, agents and runs of a period. */
export function Overview() {
  const place = usePlace();
  const { period = "7d" } = route.useSearch();
  const navigate = route.useNavigate();
  const counts = useQuery(conversationCountsQuery(place, period));
  const runs = useQuery(newestRunsQuery(place));
  const isEmpty = counts.data?.conversations === 0 && runs.data?.runs.length === 0;

  return (
    <Page
      title="Overview"
      actions={
        !isEmpty && (
          <>
            <Segmented
              label="Period"
              value={period}
              options={PERIOD_NAMES.map((value) => ({
                value,
                label: { "24h": "24 h", "7d": "7 days", "30d": "30 days" }[value],
              }))}
              onChange={(chosen: Period) => void navigate({ search: { period: chosen }, replace: true })}
            />
            {place.canWrite && (
              <Link
                to="/o/$organizationId/p/$project/runs/new"
                params={place.params}
                className={buttonClass("primary")}
              >
                <Play size={16} strokeWidth={1.75} aria-hidden />
                <WideWords>Start a run</WideWords>
              </Link>
            )}
          </>
        )
      }
    >
      {counts.error && <Failure error={counts.error} again={counts.refetch} />}
      {counts.isPending && <Skeleton rows={8} />}
      {isEmpty && <FirstSteps />}
      {counts.data && !isEmpty && (
        <>
          <Columns wideLeft>
            <AttentionCard period={period} />
            <ConversationsCard period={period} counts={counts.data} />
          </Columns>
          <AgentsTable period={period} />
          <Columns>
            <NewestRuns />
            <TroubledConversations />
          </Columns>
        </>
      )}
    </Page>
  );
}
