import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatPlural } from "../ui/format.ts";
import { Skeleton } from "../ui/progress.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { useKeys } from "../ui/use-keys.ts";
import { NewRunForm, RUN_FIELDS } from "./new-run-form.tsx";
import styles from "./new-run.module.css";
import { PlanCard } from "./plan-card.tsx";
import { planQuery } from "./queries.ts";
import type { NewRunSearch } from "./run-search.ts";
import { useChoices } from "./use-choices.ts";

const route = getRouteApi("/o/$organizationId/p/$project/runs/new");
const TYPING_MS = 300;

/** The page shows the plan of the run first. The address contains all choices. */
export function NewRun() {
  const place = usePlace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const choices = useChoices(search);
  const input = useDebounced(JSON.stringify(choices.input), TYPING_MS);
  const plan = useQuery(planQuery(place, input === undefined ? undefined : JSON.parse(input)));
  const start = useMutation({
    mutationFn: async () => {
      const answer = await place.client.runs.create({ ...choices.input!, projectId: place.projectId });
      if (!("run" in answer)) throw new Error("The service returned a plan and started nothing.");
      return answer.run;
    },
    onSuccess: (run) =>
      navigate({ to: "/o/$organizationId/p/$project/runs/$runId", params: { ...place.params, runId: run.id } }),
  });
  const isPlanned = plan.isSuccess && !plan.isPlaceholderData && input === JSON.stringify(choices.input);
  const canStart = place.canWrite && choices.input !== undefined && !start.isPending && isPlanned;
  const change = (changed: NewRunSearch) => {
    start.reset();
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  };
  useKeys({ "mod+Enter": () => canStart && start.mutate() });
  const error = start.error ?? plan.error;
  const errors = error === null ? NO_ERRORS : formErrorsOf(error, RUN_FIELDS);

  const content = () => {
    if (!place.canWrite)
      return (
        <Empty title="A viewer cannot start a run">
          <p>A member or an admin of the organization can.</p>
        </Empty>
      );
    if (choices.isLoading) return <Skeleton />;
    if (choices.error) return <Failure error={choices.error} again={choices.refetch} />;
    if (choices.agents?.length === 0) return <NoAgent />;
    if (choices.tests?.length === 0) return <NoTest />;
    return (
      <div className={styles["columns"]}>
        <NewRunForm search={choices.chosen} choices={choices} errors={errors.fields} onChange={change} />
        <div className={styles["plan"]}>
          <PlanCard plan={choices.input === undefined ? undefined : plan.data} input={choices.input} />
          {errors.form !== undefined && <Failure error={error} />}
          <Button look="primary" busy={start.isPending} disabled={!canStart} onClick={() => start.mutate()}>
            <Play size={16} aria-hidden />
            {plan.data === undefined || choices.input === undefined
              ? "Start"
              : `Start ${formatPlural(plan.data.simulationCount, "simulation")}`}
          </Button>
          <p className={styles["hint"]}>
            <kbd>Ctrl</kbd> or <kbd>⌘</kbd> with <kbd>Return</kbd> starts it.
          </p>
        </div>
      </div>
    );
  };

  return (
    <Page
      title="New run"
      above={
        <Link to="/o/$organizationId/p/$project/runs" params={place.params}>
          Runs
        </Link>
      }
    >
      {content()}
    </Page>
  );
}

function NoAgent() {
  const { params } = usePlace();
  return (
    <Empty
      title="The project has no agent"
      action={
        <Link to="/o/$organizationId/p/$project/agents" params={params} className={buttonClass("primary")}>
          Add an agent
        </Link>
      }
    >
      <p>A run needs an agent and a connection over which the service reaches it.</p>
    </Empty>
  );
}

function NoTest() {
  const { params } = usePlace();
  return (
    <Empty
      title="The project has no test"
      action={
        <Link to="/o/$organizationId/p/$project/tests/new" params={params} className={buttonClass("primary")}>
          Write a test
        </Link>
      }
    >
      <p>A test has a scenario for the caller and the behaviors that you expect of the agent.</p>
    </Empty>
  );
}
