import type { Grade, Trace } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Scale } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty, RecordFailure } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { formatMoment } from "../ui/format.ts";
import { Skeleton } from "../ui/progress.tsx";
import { ConversationActions } from "./conversation-actions.tsx";
import { ConversationHead, conversationName } from "./conversation-head.tsx";
import { lastList } from "./use-neighbours.ts";
import { conversationQuery, gradesQuery } from "./queries.ts";
import { callTab } from "./timeline/call-tab.tsx";
import { TimelineProvider } from "./timeline/context.tsx";
import { MeasuresPanel, QualityPanel } from "./timeline/conversation-panels.tsx";
import { GradeCards } from "./timeline/grade-cards.tsx";
import { Inspector, useTurnTab } from "./timeline/inspector.tsx";
import styles from "./timeline/page.module.css";
import { Timeline } from "./timeline/timeline.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/conversations/$traceId");

export function Conversation() {
  const { traceId } = route.useParams();
  const place = usePlace();
  const { data, error, isPending, refetch } = useQuery(conversationQuery(place, traceId));
  const above = (
    <Link
      to="/o/$organizationId/p/$project/conversations"
      params={place.params}
      search={lastList(place.projectId).address}
    >
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
      <ConversationTimeline key={data.traceId} traceId={traceId} conversation={data} />
    </Page>
  );
}

const NO_GRADES: readonly Grade[] = [];
const gradeTab = () => "grades";

function ConversationTimeline({ traceId, conversation }: { traceId: string; conversation: Trace }) {
  const grades = useQuery(gradesQuery(usePlace(), traceId, conversation.lastReceivedAt));
  return (
    <TimelineProvider conversation={conversation} grades={grades.data?.grades ?? NO_GRADES} gradeTab={gradeTab}>
      <ConversationHead conversation={conversation} grades={grades.data?.grades ?? NO_GRADES} />
      <Timeline inspector={<ConversationInspector conversation={conversation} grades={grades} />} />
    </TimelineProvider>
  );
}

type ConversationInspectorProps = {
  conversation: Trace;
  grades: { data: { grades: Grade[] } | undefined; error: Error | null; refetch: () => unknown };
};

function ConversationInspector({ conversation, grades }: ConversationInspectorProps) {
  const turnTab = useTurnTab();
  const available = conversation.measures.filter(({ provenance }) => provenance !== "unavailable").length;
  const count = (items: readonly unknown[] | undefined) => items?.length || undefined;
  return (
    <Inspector
      tabs={[
        turnTab,
        {
          id: "measures",
          label: "Measures",
          count: available,
          content: <MeasuresPanel conversation={conversation} />,
        },
        {
          id: "quality",
          label: "Quality",
          count: count(conversation.quality.notes),
          content: <QualityPanel conversation={conversation} />,
        },
        {
          id: "grades",
          label: "Grades",
          count: count(grades.data?.grades),
          content: <GradesPanel conversation={conversation} grades={grades} />,
        },
        ...callTab(conversation.line),
      ]}
    />
  );
}

function GradesPanel({ conversation, grades: { data, error, refetch } }: ConversationInspectorProps) {
  const { params, canWrite } = usePlace();
  if (data === undefined) return error === null ? <Skeleton rows={4} /> : <Failure error={error} again={refetch} />;
  if (data.grades.length === 0)
    return (
      <Empty
        icon={Scale}
        title="No grader looked at this"
        action={
          canWrite && (
            <Link to="/o/$organizationId/p/$project/graders" params={params} className={buttonClass("plain", true)}>
              Choose graders
            </Link>
          )
        }
      >
        <p>Graders with a scope that includes production sample conversations once they are over.</p>
      </Empty>
    );
  return <GradeCards grades={data.grades} toolName={(index) => conversation.toolCalls[index]?.name ?? undefined} />;
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
          search={lastList(projectId).address}
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
