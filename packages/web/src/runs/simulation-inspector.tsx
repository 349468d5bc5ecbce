import type { Grade, Simulation } from "@svc/contract";
import { callTab } from "../conversations/timeline/call-tab.tsx";
import { GradeCards } from "../conversations/timeline/grade-cards.tsx";
import { Inspector, useTurnTab } from "../conversations/timeline/inspector.tsx";
import styles from "./simulation.module.css";

type SimulationInspectorProps = {
  simulation: Simulation;
  /** Whether the conversation has loaded. */
  isKnown: boolean;
};

export function SimulationInspector({ simulation, isKnown }: SimulationInspectorProps) {
  const turnTab = useTurnTab();
  const verdicts = simulation.grades.filter(({ counts }) => counts);
  const others = simulation.grades.filter(({ counts }) => !counts);
  return (
    <Inspector
      tabs={[
        {
          id: "verdicts",
          label: "Verdicts",
          count: verdicts.length,
          content: <Grades simulation={simulation} grades={verdicts} />,
        },
        {
          id: "also",
          label: "Also looked at",
          count: others.length,
          content: <Grades simulation={simulation} grades={others} />,
        },
        {
          id: "tools",
          label: "Tools",
          count: simulation.tools.discovered.length || undefined,
          content: <ToolsPanel simulation={simulation} />,
        },
        ...callTab(simulation.line),
        ...(isKnown ? [turnTab] : []),
      ]}
    />
  );
}

function Grades({ simulation, grades }: { simulation: Simulation; grades: Grade[] }) {
  if (grades.length === 0)
    return (
      <p className={styles["none"]}>
        {simulation.grading === "settled" ? "No grade." : "The grades come when the conversation is over."}
      </p>
    );
  return <GradeCards grades={grades} toolName={(index) => toolText(simulation, index)} />;
}

function toolText({ toolCalls }: Simulation, index: number): string | undefined {
  const call = toolCalls[index];
  return call && (call.error === null ? call.name : `${call.name}: ${call.error}`);
}

function ToolsPanel({ simulation }: { simulation: Simulation }) {
  const { discovered, covered, uncovered, unmocked } = simulation.tools;
  if (discovered.length === 0)
    return <p className={styles["none"]}>The test has no mock tool, and no tool was called.</p>;
  const stateOf = (tool: string): string => {
    if (covered.includes(tool)) return "answered by a mock";
    if (uncovered.includes(tool)) return "mocked, not called";
    return unmocked.includes(tool) ? "called without a mock" : "";
  };
  return (
    <div className={styles["tools"]}>
      <h3>Tools that the agent could call</h3>
      <ul>
        {discovered.map((tool) => (
          <li key={tool}>
            <code>{tool}</code>
            <span>{stateOf(tool)}</span>
          </li>
        ))}
      </ul>
      <p className={styles["faint"]}>
        {unmocked.length === 0
          ? "No tool ran for real."
          : "The service executes no tool without a mock. An agent in a process of its machine used its real tool."}
      </p>
    </div>
  );
}

type PlayedCall = { name: string; mocked: boolean };

/**
 * The keys are the indexes of the tool calls. Played and recorded calls are matched in order. From the first call whose names
 * differ, the result contains no facts.
 */
export function toolFactsOf(
  played: readonly PlayedCall[],
  recorded: readonly { name: string | null }[],
): Map<number, string> {
  const facts = new Map<number, string>();
  for (const [index, { name, mocked }] of played.entries()) {
    if (recorded[index]?.name !== name) break;
    facts.set(index, mocked ? "mocked" : "not mocked");
  }
  return facts;
}
