import type { TraceSummary } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { classes } from "../ui/classes.ts";
import { formatCount, formatMoment, formatMs, formatUtc } from "../ui/format.ts";
import styles from "./conversation-rows.module.css";
import { cut, shownText } from "./shown-text.ts";

/** The whole width of the bar of a time to answer. One scale holds for every list. */
const SCALE_MS = 2_500;
const PREVIEW_CHARACTERS = 240;
const NAME_CHARACTERS = 80;

type ConversationRowProps = {
  trace: TraceSummary;
  index: number;
  isCurrent: boolean;
  params: { organizationId: string; project: string };
};

/** One conversation in the list. */
export const ConversationRow = memo(function ConversationRow({
  trace,
  index,
  isCurrent,
  params,
}: ConversationRowProps) {
  const { traceId, agentName, startedAt, turnCount, toolCallCount, errorCount, durationMs, state } = trace;
  const latency = trace.responseLatency ?? trace.textResponseTime;
  return (
    <tr data-index={index} aria-rowindex={index + 2} data-current={isCurrent || undefined}>
      <td className={styles["started"]} title={formatUtc(startedAt)}>
        {formatMoment(startedAt)}
      </td>
      <td className={styles["agent"]}>
        <bdi>
          {agentName === null ? (
            <span className={styles["faint"]}>no name</span>
          ) : (
            cut(shownText(agentName), NAME_CHARACTERS)
          )}
        </bdi>
      </td>
      <td className={styles["words"]}>
        <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...params, traceId }}>
          <Words trace={trace} />
        </Link>
      </td>
      <td className={styles["number"]}>{formatCount(turnCount)}</td>
      <td className={styles["number"]}>{formatCount(toolCallCount)}</td>
      <td className={classes(styles["number"], errorCount > 0 ? styles["errors"] : styles["faint"])}>
        {formatCount(errorCount)}
      </td>
      <td className={styles["number"]}>
        {durationMs === null ? (
          state === "final" ? (
            "–"
          ) : (
            <span className={styles["faint"]}>live</span>
          )
        ) : (
          formatMs(durationMs)
        )}
      </td>
      <td className={styles["latency"]}>
        {latency === null || latency.mean === null ? (
          "–"
        ) : (
          <span className={styles["answer"]} title={`Mean of ${latency.n}; the slowest took ${formatMs(latency.max)}`}>
            <span className={styles["track"]}>
              <i style={{ width: `${Math.min(100, (Math.max(0, latency.mean) / SCALE_MS) * 100)}%` }} />
            </span>
            {formatMs(latency.mean)}
          </span>
        )}
      </td>
    </tr>
  );
});

/** The first words of a conversation, or the reason why it has no words. */
function Words({ trace: { preview, turnCount, state, qualityTopics } }: Pick<ConversationRowProps, "trace">) {
  if (preview !== null && preview !== "") return <bdi>{cut(shownText(preview), PREVIEW_CHARACTERS)}</bdi>;
  const reason =
    turnCount === null
      ? state === "final"
        ? "not readable"
        : "not read yet"
      : turnCount === 0
        ? "no words"
        : qualityTopics?.includes("content") === true
          ? "text withheld"
          : "no words known";
  return <span className={styles["faint"]}>{reason}</span>;
}
