import type { Simulation } from "@svc/contract";
import styles from "./simulation.module.css";

/** The tools that the agent could call in a simulation, and who answered. */
export function ToolsPanel({ simulation }: { simulation: Simulation }) {
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
