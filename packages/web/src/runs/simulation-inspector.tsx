import type { Grade, Simulation, Trace } from "@svc/contract";
import { GradeCards } from "../conversations/timeline/grade-cards.tsx";
import { TurnPanel } from "../conversations/timeline/turn-panel.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { SimulationTab } from "./simulation-tabs.ts";
import styles from "./simulation.module.css";
import { ToolsPanel } from "./tools-panel.tsx";

type SimulationInspectorProps = {
  simulation: Simulation;
  conversation: Trace | undefined;
  turn: number | undefined;
  tab: SimulationTab;
  onTab: (tab: SimulationTab) => void;
  onTurn: (turn: number) => void;
  numbers: ReadonlyMap<string, number>;
  selectedMark: string | undefined;
  onSelectMark: (id: string) => void;
};

/** The verdicts of a simulation, the grades that do not count, the tools, and the selected turn. */
export function SimulationInspector(props: SimulationInspectorProps) {
  const { simulation, conversation, turn, tab, onTab } = props;
  const verdicts = simulation.grades.filter(({ counts }) => counts);
  const others = simulation.grades.filter(({ counts }) => !counts);
  const tools = simulation.tools.discovered.length;
  return (
    <Tabs
      label="Details"
      tabs={[
        { id: "verdicts", label: "Verdicts", count: verdicts.length },
        { id: "also", label: "Also looked at", count: others.length },
        { id: "tools", label: "Tools", ...(tools > 0 && { count: tools }) },
        ...(conversation === undefined
          ? []
          : [{ id: "turn" as const, label: turn === undefined ? "Turn" : `Turn ${turn}` }]),
      ]}
      selected={tab}
      onSelect={onTab}
    >
      {tab === "verdicts" && <Grades {...props} grades={verdicts} />}
      {tab === "also" && <Grades {...props} grades={others} />}
      {tab === "tools" && <ToolsPanel simulation={simulation} />}
      {tab === "turn" && conversation !== undefined && <TurnPanel conversation={conversation} turn={turn} />}
    </Tabs>
  );
}

function Grades(props: SimulationInspectorProps & { grades: Grade[] }) {
  const { grades, simulation } = props;
  if (grades.length === 0)
    return (
      <p className={styles["none"]}>
        {simulation.grading === "settled" ? "No grade." : "The grades come when the conversation is over."}
      </p>
    );
  return <GradeCards {...props} toolName={(index) => toolText(simulation, index)} />;
}

function toolText({ toolCalls }: Simulation, index: number): string | undefined {
  const call = toolCalls[index];
  return call && (call.error === null ? call.name : `${call.name}: ${call.error}`);
}
