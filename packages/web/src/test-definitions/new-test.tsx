import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { NewTestEditor } from "./new-test-editor.tsx";
import { NewTestOfConversation } from "./new-test-of-conversation.tsx";
import { testQuery } from "./queries.ts";
import { contentOf, EMPTY_TEST } from "./test-content.ts";
import { TestsLink } from "./tests-link.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/tests/new");

/** A new test: empty, of a conversation, or with the content of another test. */
export function NewTest() {
  const { canWrite, projectId } = usePlace();
  const { conversation, copy, suite } = route.useSearch();
  if (!canWrite)
    return (
      <Page title="New test" above={<TestsLink />}>
        <Notice>Viewers cannot write tests. An admin of the organization can make you a member.</Notice>
      </Page>
    );
  const draftKey = `new-test.${projectId}`;
  if (conversation !== undefined)
    return <NewTestOfConversation key={conversation} traceId={conversation} draftKey={`${draftKey}.${conversation}`} />;
  if (copy !== undefined) return <CopyOfTest key={copy} testId={copy} draftKey={`${draftKey}.${copy}`} />;
  return <NewTestEditor key={suite} draftKey={draftKey} first={EMPTY_TEST} suiteId={suite} />;
}

function CopyOfTest({ testId, draftKey }: { testId: string; draftKey: string }) {
  const { data, error, refetch } = useQuery(testQuery(usePlace(), testId));
  if (data === undefined)
    return (
      <Page title="New test" above={<TestsLink />}>
        {error ? <Failure error={error} again={refetch} /> : <Skeleton />}
      </Page>
    );
  const first = { ...contentOf(data), name: `${data.name} (copy)` };
  return <NewTestEditor draftKey={draftKey} first={first} suiteId={data.suite_id} />;
}
