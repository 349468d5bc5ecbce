import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play, Plus } from "lucide-react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { testResultsQuery, testsQuery } from "../test-definitions/queries.ts";
import { TestTable } from "../test-definitions/test-table.tsx";
import { TestsLink } from "../test-definitions/tests-link.tsx";
import { buttonClass, WideWords } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { suitesQuery } from "./queries.ts";
import { SuiteMenu } from "./suite-menu.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/suites/$suiteId");

/** One suite with its tests and their last results. */
export function Suite() {
  const place = usePlace();
  const { suiteId } = route.useParams();
  const suites = useQuery(suitesQuery(place));
  const tests = useQuery(testsQuery(place));
  const { data: results = [] } = useQuery(testResultsQuery(place));
  const suite = suites.data?.find(({ id }) => id === suiteId);
  const error = suites.error ?? tests.error;
  const inSuite = tests.data?.filter(({ suite_id }) => suite_id === suiteId);

  if (suite === undefined || inSuite === undefined)
    return (
      <Page title="Suite" above={<TestsLink />}>
        {error ? (
          <Failure error={error} again={() => Promise.all([suites.refetch(), tests.refetch()])} />
        ) : suites.data !== undefined && suite === undefined ? (
          <Empty title="This suite does not exist here">
            <p>Somebody deleted it, or it belongs to another project.</p>
          </Empty>
        ) : (
          <Skeleton />
        )}
      </Page>
    );

  const write = (look: "primary" | "plain") => (
    <Link
      to="/o/$organizationId/p/$project/tests/new"
      params={place.params}
      search={{ suite: suiteId }}
      className={buttonClass(look)}
    >
      <Plus size={16} aria-hidden />
      {look === "plain" ? <WideWords>New test</WideWords> : "New test"}
    </Link>
  );
  return (
    <Page
      title={suite.name}
      above={<TestsLink />}
      actions={
        place.canWrite && (
          <>
            <SuiteMenu suite={suite} />
            {inSuite.length > 0 && (
              <>
                {write("plain")}
                <Link
                  to="/o/$organizationId/p/$project/runs/new"
                  params={place.params}
                  search={{ suite: suiteId }}
                  className={buttonClass("primary")}
                >
                  <Play size={14} aria-hidden />
                  Run this suite
                </Link>
              </>
            )}
          </>
        )
      }
    >
      {inSuite.length > 0 ? (
        <TestTable tests={inSuite} results={results} />
      ) : (
        <Empty title="This suite has no tests" action={place.canWrite && write("primary")}>
          <p>A run plays the tests of a suite together, with each of their personas.</p>
        </Empty>
      )}
    </Page>
  );
}
