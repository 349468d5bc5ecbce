import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Pencil, Play, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { NameDialog } from "../editing/name-dialog.tsx";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { testResultsQuery, testsQuery } from "../test-definitions/queries.ts";
import { TestTable } from "../test-definitions/test-table.tsx";
import { TestsLink } from "../test-definitions/tests-link.tsx";
import { buttonClass, WideWords } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { type Suite as SuiteRecord, suitesQuery } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/suites/$suiteId");

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

function SuiteMenu({ suite }: { suite: SuiteRecord }) {
  const { client, organizationId, projectId, params } = usePlace();
  const navigate = useNavigate();
  const [step, setStep] = useState<"rename" | "delete">();
  const refresh = (...names: string[]) =>
    Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [organizationId, projectId, name] })));
  const close = () => setStep(undefined);
  return (
    <>
      <Menu label="More">
        <MenuItem icon={Pencil} onSelect={() => setStep("rename")}>
          Rename suite …
        </MenuItem>
        <MenuItem danger disabled={suite.isDefault} icon={Trash2} onSelect={() => setStep("delete")}>
          {suite.isDefault ? "The default suite stays" : "Delete suite …"}
        </MenuItem>
      </Menu>
      {step === "rename" && (
        <NameDialog
          title="Rename suite"
          verb="Rename suite"
          name={suite.name}
          act={async (name) => {
            await client.suites.edit({ suiteId: suite.id, name, projectId });
            await refresh("suites.list");
          }}
          onClose={close}
        />
      )}
      {step === "delete" && (
        <ConfirmDialog
          title={`Delete the suite “${suite.name}”?`}
          action={suite.testCount === 0 ? "Delete suite" : "Delete suite and tests"}
          act={async () => {
            await client.suites.delete({ suiteId: suite.id, projectId });
            await navigate({ to: "/o/$organizationId/p/$project/tests", params });
            await refresh("suites.list", "tests.list");
          }}
          onClose={close}
        >
          {suite.testCount === 0
            ? "The suite has no tests."
            : `${suite.testCount === 1 ? "Its test is" : `Its ${suite.testCount} tests are`} deleted too. Their versions and the results of past runs stay readable.`}
        </ConfirmDialog>
      )}
    </>
  );
}
