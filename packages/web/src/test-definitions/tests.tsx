import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { NewSuite } from "../suites/new-suite.tsx";
import { suitesQuery } from "../suites/queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { FirstTests } from "./first-tests.tsx";
import { testResultsQuery, testsQuery } from "./queries.ts";
import { SuiteSection } from "./suite-section.tsx";
import { matchingTests } from "./test-search.ts";
import styles from "./tests.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/tests");

/** The project's suites with their tests and last results. */
export function Tests() {
  const place = usePlace();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const suites = useQuery(suitesQuery(place));
  const tests = useQuery(testsQuery(place));
  const { data: results } = useQuery(testResultsQuery(place));
  const error = suites.error ?? tests.error;
  const setSearch = (text: string | undefined) =>
    void navigate({ search: { search: text === "" ? undefined : text }, replace: true });

  const content = () => {
    if (!suites.data || !tests.data)
      return error ? (
        <Failure error={error} again={() => Promise.all([suites.refetch(), tests.refetch()])} />
      ) : (
        <Skeleton />
      );
    if (tests.data.length === 0 && suites.data.length <= 1) return <FirstTests />;
    const found = matchingTests(tests.data, search ?? "");
    if (search !== undefined && found.length === 0)
      return (
        <Empty
          title={`No test has “${search}” in its name, scenario or behaviors`}
          action={<Button onClick={() => setSearch(undefined)}>Show every test</Button>}
        >
          <p>The search looks at the current versions only.</p>
        </Empty>
      );
    return suites.data
      .map((suite) => ({ suite, tests: found.filter(({ suite_id }) => suite_id === suite.id) }))
      .filter(({ tests: inSuite, suite }) => inSuite.length > 0 || (search === undefined && !suite.isDefault))
      .map(({ suite, tests: inSuite }) => (
        <SuiteSection key={suite.id} suite={suite} tests={inSuite} results={results ?? []} />
      ));
  };

  return (
    <Page
      title="Tests"
      actions={
        place.canWrite && (
          <>
            <NewSuite />
            {tests.data?.length !== 0 && (
              <Link
                to="/o/$organizationId/p/$project/tests/new"
                params={place.params}
                className={buttonClass("primary")}
              >
                <Plus size={16} aria-hidden />
                New test
              </Link>
            )}
          </>
        )
      }
    >
      {tests.data !== undefined && tests.data.length > 0 && (
        <div className={styles["filters"]}>
          <SearchField label="Search tests" value={search ?? ""} onChange={setSearch} />
        </div>
      )}
      <div className={styles["suites"]}>{content()}</div>
    </Page>
  );
}
