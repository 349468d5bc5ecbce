import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Bot, Play, Radio } from "lucide-react";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass, WideWords } from "../ui/button.tsx";
import { Columns } from "../ui/card.tsx";
import { Failure } from "../ui/notice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { AgentsTable } from "./agents-table.tsx";
import { AttentionCard } from "./attention-card.tsx";
import { ConversationsCard } from "./conversations-card.tsx";
import { NewestRuns, TroubledConversations } from "./newest-runs.tsx";
import { type Period, PERIOD_NAMES, wordsOf } from "../periods.ts";
import { conversationCountsQuery, newestRunsQuery } from "./queries.ts";
import { sendSampleCommands } from "../sample-commands.ts";
import { CopyLine } from "../ui/copy.tsx";
import styles from "./overview.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/");

export function Overview() {
  const place = usePlace();
  const { period = "7d" } = route.useSearch();
  const navigate = route.useNavigate();
  const counts = useQuery(conversationCountsQuery(place, period));
  const runs = useQuery(newestRunsQuery(place));
  const hasRuns = runs.data?.runs.length !== 0;
  const isEmpty = counts.data?.conversations === 0 && !hasRuns;

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
                label: wordsOf(value),
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
            <div>
              <AttentionCard period={period} />
              {hasRuns ? <NewestRuns /> : <TroubledConversations />}
            </div>
            <div>
              <ConversationsCard period={period} counts={counts.data} />
              {hasRuns && <TroubledConversations />}
            </div>
          </Columns>
          <AgentsTable period={period} />
        </>
      )}
    </Page>
  );
}

/** Shown while the project has neither conversations nor runs. */
function FirstSteps() {
  const { client, projectId, params, canWrite } = usePlace();
  const navigate = useNavigate();
  const sample = useMutation({
    mutationFn: () => client.sample.start({ projectId }),
    onSuccess: async ({ sample: { runId } }) => {
      await queries.invalidateQueries();
      await navigate({ to: "/o/$organizationId/p/$project/runs/$runId", params: { ...params, runId } });
    },
  });
  return (
    <section className={styles["steps"]} aria-label="First steps">
      <article>
        <Play size={20} strokeWidth={1.5} aria-hidden />
        <h2>Play the sample agent</h2>
        <p>
          A booking agent with one defect, five tests and a graded run. A failed test shows the words that decided it.
        </p>
        {canWrite && (
          <Button look="primary" busy={sample.isPending} onClick={() => sample.mutate()}>
            Play it
          </Button>
        )}
        {sample.error && <Failure error={sample.error} />}
      </article>
      <article>
        <Radio size={20} strokeWidth={1.5} aria-hidden />
        <h2>Send or fetch conversations</h2>
        <p>
          Point an OTLP exporter here, or import calls from a hosted platform. In the folder of svc's repository, these
          commands sign a terminal in and send an example:
        </p>
        <CopyLine text={sendSampleCommands()} />
        <Link to="/o/$organizationId/p/$project/monitoring" params={params} className={buttonClass()}>
          Set up monitoring
        </Link>
      </article>
      <article>
        <Bot size={20} strokeWidth={1.5} aria-hidden />
        <h2>Test an agent of yours</h2>
        <p>Add the agent with its address, write what you expect of it, and run the test.</p>
        <Link to="/o/$organizationId/p/$project/agents" params={params} className={buttonClass()}>
          Add an agent
        </Link>
      </article>
    </section>
  );
}
