import { useQuery } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { suitesQuery } from "../suites/queries.ts";
import { testsQuery } from "../test-definitions/queries.ts";
import { Filter, Filters } from "../ui/filter.tsx";
import { type ListSearch, STATUS_OPTIONS } from "./list-search.ts";
import { agentsQuery } from "./queries.ts";

const optionsOf = (things: readonly { id: string; name: string }[] | undefined, value: string | undefined) => {
  const options = (things ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return isKnown ? options : [...options, { value, label: value }];
};

type RunFiltersProps = { search: ListSearch; onChange: (search: ListSearch) => void };

/** The filters of the list of runs. */
export function RunFilters({ search, onChange }: RunFiltersProps) {
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

/** Returns the filters in words. */
export const filterWords = (search: ListSearch): string[] => [
  ...(search.agent === undefined ? [] : ["agent"]),
  ...(search.suite === undefined ? [] : ["suite"]),
  ...(search.test === undefined ? [] : ["test"]),
  ...(search.status === undefined ? [] : [`execution ${search.status}`]),
];
