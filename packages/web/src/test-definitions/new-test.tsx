import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { NewTestEditor } from "./new-test-editor.tsx";
import { testQuery } from "./queries.ts";
import { TestsLink } from "./tests-link.tsx";
import { contentOf, EMPTY_TEST } from "./test-content.ts";

const route = getRouteApi("/o/$organizationId/p/$project/tests/new");

/** A new test: empty, or with the content of another test. */
export function NewTest() {
  const place = usePlace();
  const { copy, suite } = route.useSearch();
  const { data, error, refetch } = useQuery({ ...testQuery(place, copy ?? ""), enabled: copy !== undefined });
  if (!place.canWrite)
    return (
      <Page title="New test" above={<TestsLink />}>
        <Notice>Viewers cannot write tests. An admin of the organization can make you a member.</Notice>
      </Page>
    );
  if (copy === undefined)
    return <NewTestEditor draftKey={`new-test.${place.projectId}`} first={EMPTY_TEST} suiteId={suite} />;
  if (data !== undefined)
    return (
      <NewTestEditor
        key={copy}
        draftKey={`new-test.${place.projectId}.${copy}`}
        first={{ ...contentOf(data), name: `${data.name} (copy)` }}
        suiteId={data.suite_id}
      />
    );
  return (
    <Page title="New test" above={<TestsLink />}>
      {error ? <Failure error={error} again={refetch} /> : <Skeleton />}
    </Page>
  );
}
