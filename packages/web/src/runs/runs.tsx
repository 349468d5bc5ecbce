import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { GitCompare, Play, Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { LoadMore } from "../ui/table.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { agentsQuery, runPages } from "./queries.ts";
import { RunsTable } from "./runs-table.tsx";
import { suitesQuery } from "../suites/queries.ts";
import { testsQuery } from "../test-definitions/queries.ts";
import { Filter, Filters } from "../ui/filter.tsx";
import { type ListSearch, STATUS_OPTIONS } from "./run-search.ts";
import styles from "./runs.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/runs");

export function Runs() {
  const place = usePlace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(runPages(place, search));
  const [chosen, setChosen] = useState<string[]>([]);
  const runs = list.data?.pages.flatMap((page) => page.runs);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  // The list is newest first, so the older of the two runs is the second. The older run becomes the first run of the comparison.
  const [second, first] = (runs ?? []).filter(({ id }) => chosen.includes(id)).map(({ id }) => id);

  const content = () => {
    if (runs === undefined)
      return list.error ? <Failure error={list.error} again={list.refetch} /> : <Skeleton rows={10} />;
    if (runs.length === 0)
      return isFiltered ? (
        <EmptyByFilter filters={filterWords(search)} onClear={() => void navigate({ search: {} })} />
      ) : (
        <NoRuns />
      );
    return (
      <>
        {list.error && <Failure error={list.error} again={list.refetch} />}
        <RunsTable
          runs={runs}
          chosen={chosen}
          onChoose={(id) =>
            setChosen((before) =>
              before.includes(id) ? before.filter((each) => each !== id) : [...before.slice(-1), id],
            )
          }
        />
        <LoadMore hasMore={list.hasNextPage} busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()} />
      </>
    );
  };

  return (
    <Page
      title="Runs"
      actions={
        <>
          {runs !== undefined &&
            runs.length > 1 &&
            (first !== undefined && second !== undefined ? (
              <Link
                to="/o/$organizationId/p/$project/runs/compare"
                params={place.params}
                search={{ first, second }}
                className={buttonClass()}
              >
                <GitCompare size={16} aria-hidden />
                Compare
              </Link>
            ) : (
              <Button disabled title="Choose two runs of the list">
                <GitCompare size={16} aria-hidden />
                Compare
              </Button>
            ))}
          {place.canWrite && (
            <Link to="/o/$organizationId/p/$project/runs/new" params={place.params} className={buttonClass("primary")}>
              <Plus size={16} aria-hidden />
              New run
            </Link>
          )}
        </>
      }
    >
      {(isFiltered || (runs !== undefined && runs.length > 0)) && (
        <RunFilters search={search} onChange={(next) => void navigate({ search: next, replace: true })} />
      )}
      {content()}
    </Page>
  );
}

const optionsOf = (things: readonly { id: string; name: string }[] | undefined, value: string | undefined) => {
  const options = (things ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return isKnown ? options : [...options, { value, label: value }];
};

type RunFiltersProps = { search: ListSearch; onChange: (search: ListSearch) => void };

function RunFilters({ search, onChange }: RunFiltersProps) {
  const place = usePlace();
  const { data: agents } = useQuery(agentsQuery(place));
  const { data: suites } = useQuery(suitesQuery(place));
  const { data: tests } = useQuery(testsQuery(place));
  const set = (changed: Partial<Record<keyof ListSearch, string | undefined>>) =>
    onChange({ ...search, ...changed } as ListSearch);
  return (
    <Filters>
      <Filter
        name="Agent"
        options={optionsOf(agents, search.agent)}
        value={search.agent}
        onChange={(agent) => set({ agent })}
      />
      <Filter
        name="Suite"
        options={optionsOf(suites, search.suite)}
        value={search.suite}
        onChange={(suite) => set({ suite })}
      />
      <Filter
        name="Test"
        options={optionsOf(tests, search.test)}
        value={search.test}
        onChange={(test) => set({ test })}
      />
      <Filter name="Execution" options={STATUS_OPTIONS} value={search.status} onChange={(status) => set({ status })} />
    </Filters>
  );
}

const filterWords = (search: ListSearch): string[] => [
  ...(search.agent === undefined ? [] : ["agent"]),
  ...(search.suite === undefined ? [] : ["suite"]),
  ...(search.schedule === undefined ? [] : ["schedule"]),
  ...(search.test === undefined ? [] : ["test"]),
  ...(search.status === undefined ? [] : [`execution ${search.status}`]),
];

function NoRuns() {
  const { client, organizationId, projectId, params, canWrite } = usePlace();
  const navigate = useNavigate();
  const sample = useMutation({
    mutationFn: () => client.sample.start({ projectId }),
    onSuccess: async ({ sample: { runId } }) => {
      await navigate({ to: "/o/$organizationId/p/$project/runs/$runId", params: { ...params, runId } });
      await queries.invalidateQueries({ queryKey: [organizationId, projectId] });
    },
  });
  return (
    <Empty
      icon={Play}
      title="No run yet"
      action={
        canWrite && (
          <div className={styles["chips"]}>
            <Button look="primary" busy={sample.isPending} onClick={() => sample.mutate()}>
              Play the sample agent
            </Button>
            <Link to="/o/$organizationId/p/$project/runs/new" params={params} className={buttonClass()}>
              New run
            </Link>
          </div>
        )
      }
    >
      <p>
        A run plays tests against an agent, once for each persona and iteration, and grades every conversation. The
        sample agent books rooms, has one defect, and needs no language model.
      </p>
      {sample.error && <Failure error={sample.error} />}
    </Empty>
  );
}
