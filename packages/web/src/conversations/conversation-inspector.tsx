import type { Grade, Trace } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { Scale } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { InspectorTab } from "./inspector-tabs.ts";
import { GradeCards } from "./timeline/grade-cards.tsx";
import { MeasuresPanel, QualityPanel } from "./timeline/conversation-panels.tsx";
import { SpanPanel } from "./timeline/span-panel.tsx";
import { TurnPanel } from "./timeline/turn-panel.tsx";

type ConversationInspectorProps = {
  conversation: Trace;
  turn: number | undefined;
  span: string | undefined;
  tab: InspectorTab;
  onTab: (tab: InspectorTab) => void;
  onCloseSpan: () => void;
  onTurn: (turn: number) => void;
  grades: { data: { grades: Grade[] } | undefined; error: Error | null; refetch: () => unknown };
  numbers: ReadonlyMap<string, number>;
  selectedMark: string | undefined;
  onSelectMark: (id: string) => void;
};

/** The facts about the selected turn and about the whole conversation. */
export function ConversationInspector(props: ConversationInspectorProps) {
  const { conversation, turn, tab, onTab } = props;
  const span = props.span === undefined ? undefined : conversation.spans.find(({ spanId }) => spanId === props.span);
  const available = conversation.measures.filter(({ provenance }) => provenance !== "unavailable").length;
  const notes = conversation.quality.notes.length;
  const graded = props.grades.data?.grades.length ?? 0;
  return (
    <Tabs
      label="Details"
      tabs={[
        { id: "turn", label: span !== undefined ? "Span" : turn === undefined ? "Turn" : `Turn ${turn}` },
        { id: "measures", label: "Measures", count: available },
        { id: "quality", label: "Quality", ...(notes > 0 && { count: notes }) },
        { id: "grades", label: "Grades", ...(graded > 0 && { count: graded }) },
      ]}
      selected={tab}
      onSelect={onTab}
    >
      {tab === "turn" &&
        (span === undefined ? (
          <TurnPanel conversation={conversation} turn={turn} />
        ) : (
          <SpanPanel conversation={conversation} span={span} onClose={props.onCloseSpan} />
        ))}
      {tab === "measures" && <MeasuresPanel conversation={conversation} />}
      {tab === "quality" && <QualityPanel conversation={conversation} />}
      {tab === "grades" && <GradesPanel {...props} />}
    </Tabs>
  );
}

function GradesPanel(props: ConversationInspectorProps) {
  const { grades, conversation } = props;
  const { params, canWrite } = usePlace();
  if (grades.error !== null && grades.data === undefined)
    return <Failure error={grades.error} again={grades.refetch} />;
  if (grades.data === undefined) return <Skeleton rows={4} />;
  if (grades.data.grades.length === 0)
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
  return (
    <GradeCards
      {...props}
      grades={grades.data.grades}
      toolName={(index) => conversation.toolCalls[index]?.name ?? undefined}
    />
  );
}
