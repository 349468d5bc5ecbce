import type { ListedTrace } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { classes } from "../ui/classes.ts";
import { formatCount, formatMoment, formatMs, formatPlural, formatUtc } from "../ui/format.ts";
import styles from "./conversation-rows.module.css";
import { Outcome, Words } from "./row-words.tsx";
import { cut, shownText } from "./shown-text.ts";
import type { Selection } from "./use-selection.ts";

/** Time to answer that fills the whole width of a bar. All lists use the same scale. */
const SCALE_MS = 5_000;
const NAME_CHARACTERS = 80;

type ConversationRowProps = {
  trace: ListedTrace;
  index: number;
  isCurrent: boolean;
  isSelected: boolean;
  onSelect: Selection["toggle"];
  params: { organizationId: string; project: string };
};

export const ConversationRow = memo(function ConversationRow({
  trace,
  index,
  isCurrent,
  isSelected,
  onSelect,
  params,
}: ConversationRowProps) {
  const { traceId, source, agentName, startedAt, turnCount, toolCallCount, errorCount, durationMs, state } = trace;
  const latency = trace.responseLatency ?? trace.textResponseTime;
  return (
    <tr data-index={index} aria-rowindex={index + 2} data-current={isCurrent || undefined}>
      <td className={styles["select"]}>
        <input
          type="checkbox"
          aria-label={`Select the conversation of ${formatMoment(startedAt)}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => onSelect(index, (nativeEvent as MouseEvent).shiftKey)}
        />
      </td>
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
        <span className={styles["second"]}>{source}</span>
      </td>
      <td className={styles["words"]}>
        <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...params, traceId }}>
          <Words trace={trace} />
        </Link>
        <span className={styles["second"]}>
          <Outcome trace={trace} />
        </span>
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
        {latency === null || latency.max === null ? (
          "–"
        ) : (
          <>
            <span className={styles["answer"]} title={`The slowest of ${formatPlural(latency.n, "answer")}`}>
              <span className={styles["track"]}>
                <i style={{ width: `${Math.min(100, (Math.max(0, latency.max) / SCALE_MS) * 100)}%` }} />
              </span>
              {formatMs(latency.max)}
            </span>
            <span className={styles["second"]}>mean {formatMs(latency.mean)}</span>
          </>
        )}
      </td>
    </tr>
  );
});
