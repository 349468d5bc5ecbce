import { UserText } from "../../ui/user-text.tsx";
import { valueText } from "../shown-text.ts";
import styles from "./panels.module.css";

type VotesProps = { votes: readonly unknown[]; confidence: number | null };

/** The votes of a judge: the status and the reasoning of each, and its reply as it was sent. */
export const Votes = ({ votes, confidence }: VotesProps) => (
  <details className={styles["votes"]} onClick={(event) => event.stopPropagation()}>
    <summary>
      {votes.length === 1 ? "1 vote of the judge" : `${votes.length} votes of the judge`}
      {confidence !== null && `, confidence ${Math.round(confidence * 100)}%`}
    </summary>
    <ol>
      {votes.map((vote, index) => (
        <Vote key={index} vote={vote} />
      ))}
    </ol>
  </details>
);

function Vote({ vote }: { vote: unknown }) {
  const { model, status, reasoning } = readVote(vote);
  return (
    <li>
      <strong>{status ?? "no readable answer"}</strong>
      {model !== undefined && (
        <>
          {", "}
          <UserText inline text={model} />
        </>
      )}
      {reasoning !== undefined && (
        <p>
          <UserText text={reasoning} />
        </p>
      )}
      <details>
        <summary>Reply as it was sent</summary>
        <pre className={styles["code"]} tabIndex={0} dir="auto">
          {typeof vote === "string" ? valueText(vote) : JSON.stringify(vote, null, 2)}
        </pre>
      </details>
    </li>
  );
}

/** Returns the texts of a vote; a vote is the reply of a model, so that any part may be missing. */
function readVote(vote: unknown): {
  model: string | undefined;
  status: string | undefined;
  reasoning: string | undefined;
} {
  const { model, replies } = membersOf(vote);
  const answer = membersOf(Array.isArray(replies) ? replies.at(-1) : undefined);
  return { model: textOf(model), status: textOf(answer["status"]), reasoning: textOf(answer["reasoning"]) };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
