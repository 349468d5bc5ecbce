import styles from "./answer-parts.module.css";
import type { AnswerPart } from "./answers.ts";
import { barClass } from "./bars.tsx";

export const PART_NAMES: Record<AnswerPart["kind"], string> = {
  wait: "End of utterance",
  rest: "Rest",
  model: "LLM first token",
  speech: "TTS first byte",
};

/** A bar of what the time of an answer is made of. `share` is its length on the scale of the conversation. */
export function AnswerParts({ parts, share }: { parts: readonly AnswerPart[]; share?: number }) {
  const isSmall = share !== undefined;
  return (
    <span
      className={isSmall ? styles["small"] : styles["large"]}
      style={isSmall ? { width: `${Math.max(0.02, Math.min(1, share)) * 5.5}rem` } : undefined}
      aria-hidden
    >
      {parts.map(({ kind, ms }) => (
        <i key={kind} className={barClass(kind)} style={{ flexGrow: ms }} title={PART_NAMES[kind]} />
      ))}
    </span>
  );
}
