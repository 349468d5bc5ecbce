import type { ReactNode } from "react";
import { Tabs } from "../../ui/tabs.tsx";
import { useKnownTimeline, useShownTurn } from "./context.tsx";
import { SpanPanel } from "./span-panel.tsx";
import { TurnPanel } from "./turn-panel.tsx";
import { useTimelineView } from "./view.ts";

type InspectorTab = { id: string; label: string; count?: number | undefined; content: ReactNode };

/** The facts beside a timeline, in tabs. The address keeps the selected tab, unless it is the first. */
export function Inspector({ tabs }: { tabs: readonly [InspectorTab, ...InspectorTab[]] }) {
  const { tab, change } = useTimelineView();
  const [first] = tabs;
  const selected = tabs.find(({ id }) => id === tab) ?? first;
  const select = (id: string) => change({ tab: id === first.id ? undefined : id });
  return (
    <Tabs label="Details" tabs={tabs} selected={selected.id} onSelect={select}>
      {selected.content}
    </Tabs>
  );
}

/** Returns the tab of the selected turn or span. */
export function useTurnTab(): InspectorTab {
  const { span: spanId, change } = useTimelineView();
  const { turn } = useShownTurn();
  const trace = useKnownTimeline()?.model.trace;
  const span = spanId === undefined ? undefined : trace?.spans.find((each) => each.spanId === spanId);
  if (span !== undefined)
    return {
      id: "turn",
      label: "Span",
      content: <SpanPanel span={span} onClose={() => change({ span: undefined })} />,
    };
  return { id: "turn", label: turn === undefined ? "Turn" : `Turn ${turn}`, content: <TurnPanel turn={turn} /> };
}
