import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { RecordFailure } from "../ui/record-failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { formatMoment } from "../ui/format.ts";
import { ConversationActions } from "./conversation-actions.tsx";
import { ConversationHead, conversationName } from "./conversation-head.tsx";
import { ConversationInspector } from "./conversation-inspector.tsx";
import { lastList } from "./last-list.ts";
import { conversationQuery, gradesQuery } from "./queries.ts";
import { defaultTurn } from "./timeline/answers.ts";
import { marksOfGrades } from "./timeline/marks.ts";
import { Timeline } from "./timeline/timeline.tsx";
import { recordingQuery, usePlayable } from "./sound/queries.ts";
import styles from "./timeline/page.module.css";
import { useTimelineView } from "./timeline/view.ts";

const route = getRouteApi("/o/$organizationId/p/$project/conversations/$traceId");

/** One conversation as a timeline, with its facts, measures and grades. */
export function Conversation() {
  const { traceId } = route.useParams();
  const place = usePlace();
  const { data, error, isPending, refetch } = useQuery(conversationQuery(place, traceId));
  const above = (
    <Link to="/o/$organizationId/p/$project/conversations" params={place.params} search={lastList(place.projectId)}>
      Conversations
    </Link>
  );
  if (data === undefined)
    return (
      <Page title="Conversation" above={above}>
        {isPending ? <Skeleton rows={10} /> : <NoConversation error={error} again={refetch} />}
      </Page>
    );
  const canBeTest = data.turns.some(({ role, text }) => role === "user" && text !== null);
  return (
    <Page
      title={`${conversationName(data)}, ${formatMoment(data.startedAt)}`}
      above={above}
      actions={<ConversationActions conversation={data} canBeTest={canBeTest} />}
      full
    >
      {error !== null && (
        <div className={styles["padded"]}>
          <Failure error={error} again={refetch} />
        </div>
      )}
      <ConversationHead conversation={data} />
      <ConversationTimeline key={data.traceId} traceId={traceId} conversation={data} />
    </Page>
  );
}

type ConversationTimelineProps = { traceId: string; conversation: Parameters<typeof conversationName>[0] };

function ConversationTimeline({ traceId, conversation }: ConversationTimelineProps) {
  const { tab = "turn", span } = route.useSearch();
  const place = usePlace();
  const navigate = useNavigate();
  const view = useTimelineView();
  const [selectedMark, setSelectedMark] = useState<string>();
  const { data: recording } = useQuery(recordingQuery(place, traceId));
  const playable = usePlayable(recording, place, traceId);
  const grades = useQuery(gradesQuery(place, traceId, conversation.lastReceivedAt));
  const { numbers, marks } = useMemo(() => marksOfGrades(grades.data?.grades ?? []), [grades.data]);
  const turn = view.turn ?? defaultTurn(conversation);
  const change = useCallback(
    (changed: { tab?: typeof tab | undefined; span?: string | undefined; turn?: number | undefined }) =>
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const selectMark = (id: string) => {
    const shown = marks.find((mark) => mark.id === id);
    setSelectedMark(id);
    change({ tab: "grades", ...(shown && { turn: shown.turn }) });
  };
  const selectSpan = useCallback((spanId: string | undefined) => change({ span: spanId, tab: undefined }), [change]);
  return (
    <Timeline
      conversation={conversation}
      recording={playable}
      view={view}
      marks={marks}
      selectedMark={selectedMark}
      onSelectMark={selectMark}
      span={span}
      onSelectSpan={selectSpan}
      inspector={
        <ConversationInspector
          conversation={conversation}
          turn={turn}
          span={span}
          tab={tab}
          onTab={(selected) => change({ tab: selected === "turn" ? undefined : selected })}
          onCloseSpan={() => selectSpan(undefined)}
          onTurn={view.selectTurn}
          grades={grades}
          numbers={numbers}
          selectedMark={selectedMark}
          onSelectMark={selectMark}
        />
      }
    />
  );
}

function NoConversation({ error, again }: { error: Error | null; again: () => unknown }) {
  const { params, projectId } = usePlace();
  return (
    <RecordFailure
      error={error}
      again={again}
      noun="conversation"
      action={
        <Link
          to="/o/$organizationId/p/$project/conversations"
          params={params}
          search={lastList(projectId)}
          className={buttonClass()}
        >
          Show the conversations
        </Link>
      }
    >
      Its spans have not arrived, someone deleted it, or it belongs to another project.
    </RecordFailure>
  );
}
