import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play, Plus } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { NewSuite } from "../suites/new-suite.tsx";
import { type Suite, suitesQuery } from "../suites/queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { SearchField } from "../ui/field.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { FirstTests } from "./first-tests.tsx";
import { type TestResults, testResultsQuery, testsQuery } from "./queries.ts";
import styles from "./tests.module.css";
import { Section } from "../ui/card.tsx";
import type { StoredTest } from "./test-content.ts";
import { TestTable } from "./test-table.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/tests");

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

type SuiteSectionProps = { suite: Suite; tests: readonly StoredTest[]; results: readonly TestResults[] };

function SuiteSection({ suite, tests, results }: SuiteSectionProps) {
  const { params, canWrite } = usePlace();
  return (
    <Section
      title={
        <Link
          to="/o/$organizationId/p/$project/suites/$suiteId"
          params={{ ...params, suiteId: suite.id }}
          className={styles["suite"]}
        >
          {suite.name}
        </Link>
      }
      note={suite.testCount === 1 ? "1 test" : `${suite.testCount} tests`}
      action={
        canWrite &&
        tests.length > 0 && (
          <Link
            to="/o/$organizationId/p/$project/runs/new"
            params={params}
            search={{ suite: suite.id }}
            className={buttonClass("plain", true)}
          >
            <Play size={14} aria-hidden />
            Run this suite
          </Link>
        )
      }
    >
      {tests.length > 0 ? (
        <TestTable tests={tests} results={results} />
      ) : (
        <p className={styles["empty"]}>
          This suite has no tests.{" "}
          {canWrite && (
            <Link to="/o/$organizationId/p/$project/tests/new" params={params} search={{ suite: suite.id }}>
              Write its first test
            </Link>
          )}
        </p>
      )}
    </Section>
  );
}

export function matchingTests<T extends Pick<StoredTest, "name" | "scenario" | "expected_behaviors">>(
  tests: readonly T[],
  search: string,
): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tests.filter(({ name, scenario, expected_behaviors }) => {
    const text = [name, scenario, ...expected_behaviors].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
