import { useQuery } from "@tanstack/react-query";
import { usePlace } from "../shell/place.ts";
import { suitesQuery } from "../suites/queries.ts";
import { testsQuery } from "../test-definitions/queries.ts";
import { agentsQuery, connectionsQuery, gridQuery } from "./queries.ts";
import { inputOf, type NewRunSearch, testIdsOf } from "./run-search.ts";

export function useChoices(search: NewRunSearch) {
  const place = usePlace();
  const agents = useQuery(agentsQuery(place));
  const suites = useQuery(suitesQuery(place));
  const tests = useQuery(testsQuery(place));
  const agent = search.agent ?? onlyIdOf(agents.data);
  const connections = useQuery(connectionsQuery(place, agent));
  const connection = connections.data?.some(({ id }) => id === search.connection)
    ? search.connection
    : onlyIdOf(connections.data);
  const source = useQuery({ ...gridQuery(place, search.run ?? ""), enabled: search.run !== undefined });
  const isFree = search.suite === undefined && search.test === undefined && search.run === undefined;
  const suite = isFree ? suites.data?.find(({ testCount }) => testCount > 0)?.id : search.suite;
  const chosen: NewRunSearch = { ...search, agent, connection, suite };
  const ofRun = source.data?.tests.filter(({ failed }) => search.only === undefined || failed > 0);
  const versions =
    search.run === undefined
      ? testIdsOf(search).flatMap((id) => tests.data?.find((test) => test.id === id)?.version_id ?? [])
      : ofRun?.map(({ testVersionId }) => testVersionId);
  return {
    chosen,
    input: inputOf(chosen, versions),
    agents: agents.data,
    connections: agent === undefined ? undefined : connections.data,
    suites: suites.data,
    tests: tests.data,
    /** Tests of the run that is played again; undefined without such a run. */
    ofRun,
    isLoading: agents.isPending || suites.isPending || tests.isPending,
    error: agents.error ?? suites.error ?? tests.error ?? connections.error ?? source.error,
    refetch: () => Promise.all([agents.refetch(), suites.refetch(), tests.refetch()]),
  };
}

export type Choices = ReturnType<typeof useChoices>;

const onlyIdOf = (things: readonly { id: string }[] | undefined): string | undefined =>
  things?.length === 1 ? things[0]!.id : undefined;
