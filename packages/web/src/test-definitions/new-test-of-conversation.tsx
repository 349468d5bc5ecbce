import { draftTest } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { conversationQuery } from "../conversations/queries.ts";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { NewTestEditor } from "./new-test-editor.tsx";
import styles from "./new-test.module.css";
import { TestsLink } from "./tests-link.tsx";

/** A new test that begins with the caller's lines and the tool calls of a conversation. */
export function NewTestOfConversation({ traceId, draftKey }: { traceId: string; draftKey: string }) {
  const place = usePlace();
  const { data: trace, error, refetch } = useQuery(conversationQuery(place, traceId));
  const draft = useMemo(() => trace && draftTest(trace), [trace]);
  const conversation = { ...place.params, traceId };
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
        notice={
          <div className={styles["notice"]}>
            <Notice>
              The caller repeats its lines of{" "}
              <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={conversation}>
                this conversation
              </Link>
              . The behaviors and mock tools repeat its tool calls. Nothing is saved yet.
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
        </Empty>
      ) : error ? (
        <Failure error={error} again={refetch} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}
