import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { GitCompare, Plus } from "lucide-react";
import { useState } from "react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { EmptyByFilter } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { LoadMore } from "../ui/load-more.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { NoRuns } from "./no-runs.tsx";
import { runPages } from "./queries.ts";
import { filterWords, RunFilters } from "./run-filters.tsx";
import { RunsTable } from "./runs-table.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/runs");

/** The project's runs, newest first. Two of them can be chosen for a comparison. */
export function Runs() {
  const place = usePlace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(runPages(place, search));
  const [chosen, setChosen] = useState<string[]>([]);
  const runs = list.data?.pages.flatMap((page) => page.runs);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  // The run that started first is the first of the comparison.
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
