import { barClass } from "./bars.tsx";
import type { TimelineModel } from "./model.ts";
import styles from "./timeline.module.css";
import type { BarKind } from "./span-rows.ts";

const NAMES: [BarKind, string][] = [
  ["caller", "Caller speaks"],
  ["agent", "Agent speaks"],
  ["third_party", "Third party speaks"],
  ["work", "Agent answers"],
  ["wait", "Waiting for the turn’s end"],
  ["model", "Language model"],
  ["speech", "Speech synthesis"],
  ["tool", "Tool"],
  ["failed", "Failed"],
  ["silence", "Silence"],
];

const PLAIN_NAMES: Partial<Record<BarKind, string>> = { caller: "Caller writes", agent: "Agent answers" };

/** The names of the bars that this conversation has. */
export function Legend({ model }: { model: TimelineModel }) {
  const kinds = new Set<BarKind>();
  for (const row of model.rows) {
    if (row.type === "silence") kinds.add("silence");
    if (row.type === "turn") for (const { kind } of [...row.voice, ...row.calls]) kinds.add(kind);
  }
  return (
    <div className={styles["legend"]}>
      {NAMES.map(
        ([kind, name]) =>
          kinds.has(kind) && (
            <span key={kind}>
              <i className={barClass(kind)} />
              {model.isPlain ? (PLAIN_NAMES[kind] ?? name) : name}
            </span>
          ),
      )}
    </div>
  );
}
