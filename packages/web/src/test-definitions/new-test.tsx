import { draftFailingTest, draftTest } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { conversationQuery, gradesQuery } from "../conversations/queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatPlural } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import styles from "./new-test.module.css";
import { NewTestEditor } from "./new-test-editor.tsx";
import { testQuery } from "./queries.ts";
import { contentOf, EMPTY_TEST } from "./test-content.ts";
import { TestsLink } from "./tests-link.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/tests/new");

export function NewTest() {
  const { canWrite, projectId } = usePlace();
  const { conversation, following = "", failing = false, copy, suite } = route.useSearch();
  if (!canWrite)
    return (
      <Page title="New test" above={<TestsLink />}>
        <Notice>Viewers cannot write tests. An admin of the organization can make you a member.</Notice>
      </Page>
    );
  const draftKey = `new-test.${projectId}`;
  if (conversation !== undefined)
    return (
      <NewTestOfConversation
        key={`${conversation} ${failing}`}
        traceId={conversation}
        following={following.split(",").filter((id) => id !== "")}
        isFailing={failing}
        draftKey={`${draftKey}.${conversation}${failing ? ".failing" : ""}`}
      />
    );
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

/** Returns the ids for the address of the page. */
const joined = (ids: readonly string[]): string | undefined => (ids.length === 0 ? undefined : ids.join(","));

type OfConversationProps = {
  traceId: string;
  /** Conversations that get a test after this one. */
  following: readonly string[];
  isFailing: boolean;
  draftKey: string;
};

function NewTestOfConversation({ traceId, following, isFailing, draftKey }: OfConversationProps) {
  const place = usePlace();
  const { data: trace, error: notRead, refetch } = useQuery(conversationQuery(place, traceId));
  const grades = useQuery({ ...gradesQuery(place, traceId, undefined), enabled: isFailing });
  const error = notRead ?? grades.error;
  const failed = grades.data?.grades;
  const draft = useMemo(() => {
    if (trace === undefined || !isFailing) return trace && draftTest(trace);
    return failed && draftFailingTest(trace, failed);
  }, [trace, isFailing, failed]);
  const conversation = { ...place.params, traceId };
  const [next, ...others] = following;
  const nextSearch =
    next === undefined ? undefined : { conversation: next, failing: isFailing || undefined, following: joined(others) };
  const skip = nextSearch && (
    <Link to="/o/$organizationId/p/$project/tests/new" params={place.params} search={nextSearch} replace>
      Skip this conversation
    </Link>
  );
  if (draft?.test)
    return (
      <NewTestEditor
        draftKey={draftKey}
        first={{
          name: draft.test.name,
          scenario: draft.test.scenario,
          behaviors: draft.test.expected_behaviors,
          personas: draft.test.personas,
          mockTools: draft.test.mock_tools.map((mock) => ({ ...mock, delay_ms: 0 })),
        }}
        suiteId={undefined}
        next={nextSearch}
        notice={
          <div className={styles["notice"]}>
            <Notice>
              The caller repeats its lines of{" "}
              <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={conversation}>
                this conversation
              </Link>
              . {isFailing ? "The first behaviors are what failed in it, the others" : "The behaviors"} and mock tools
              repeat its tool calls. Nothing is saved yet.
              {skip && (
                <p>
                  {formatPlural(following.length, "conversation")} after this one. {skip}.
                </p>
              )}
              {draft.notes.map((note) => (
                <p key={note}>{note}</p>
              ))}
            </Notice>
          </div>
        }
      />
    );
  return (
    <Page title="New test" above={<TestsLink />}>
      {draft !== undefined ? (
        <Empty
          title="No test can repeat this conversation"
          action={
            <Link
              to="/o/$organizationId/p/$project/conversations/$traceId"
              params={conversation}
              className={buttonClass()}
            >
              Show the conversation
            </Link>
          }
        >
          <p>{draft.notes[0]}</p>
          {skip && <p>{skip}.</p>}
        </Empty>
      ) : error ? (
        <Failure error={error} again={refetch} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}
