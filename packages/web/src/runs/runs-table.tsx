import type { Run } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { formatPercent } from "../ui/format.ts";
import { Interval } from "../ui/small-plots.tsx";
import { Progress } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import {
  executionWords,
  gradedCount,
  gradingWords,
  isUnderWay,
  playedCount,
  runName,
  runSize,
  shownRate,
} from "./run-words.ts";
import styles from "./runs.module.css";
import { VerdictCounts } from "./verdict-counts.tsx";

type RunsTableProps = { runs: readonly Run[]; chosen: readonly string[]; onChoose: (runId: string) => void };

export function RunsTable({ runs, chosen, onChoose }: RunsTableProps) {
  return (
    <Table
      label="Runs"
      stacked
      columns={[
        { head: <span className="visually-hidden">Compare</span>, width: "2rem", wideOnly: true },
        { head: "Run", width: "26%" },
        { head: "Agent", wideOnly: true, width: "14%" },
        { head: "Pass rate", width: "12rem" },
        { head: "", numeric: true },
        { head: "Verdicts" },
        { head: "Execution", wideOnly: true },
        { head: "Grading", wideOnly: true },
        { head: "Started", numeric: true },
      ]}
    >
      {runs.map((run) => (
        <RunRow key={run.id} run={run} isChosen={chosen.includes(run.id)} onChoose={onChoose} />
      ))}
    </Table>
  );
}

type RunRowProps = { run: Run; isChosen: boolean; onChoose: (runId: string) => void };

function RunRow({ run, isChosen, onChoose }: RunRowProps) {
  const { params } = usePlace();
  const rate = shownRate(run);
  return (
    <tr>
      <td className={tables["wideOnly"]}>
        <input
          type="checkbox"
          aria-label={`Compare ${runName(run)}`}
          checked={isChosen}
          onChange={() => onChoose(run.id)}
        />
      </td>
      <td className={classes(tables["name"], tables["clip"])}>
        <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...params, runId: run.id }}>
          <UserText inline text={runName(run)} />
        </Link>
        <span className={styles["size"]}>{runSize(run)}</span>
      </td>
      <td className={classes(tables["wideOnly"], tables["clip"], tables["faint"])}>
        <UserText inline text={run.agentName} />
      </td>
      <td className={styles["rateCell"]}>
        <Interval low={rate.low} high={rate.high} value={rate.value} label="Pass rate" />
      </td>
      <td className={tables["num"]} title={rate.words}>
        {rate.value === null ? "–" : formatPercent(rate.value)}
      </td>
      <td>
        <VerdictCounts run={run} />
      </td>
      <td className={tables["wideOnly"]}>
        {isUnderWay(run) ? (
          <span className={styles["underWay"]}>
            <Progress
              value={playedCount(run) + gradedCount(run)}
              max={run.simulationCount * 2}
              label={`${executionWords(run)}, ${gradingWords(run)}`}
            />
            {executionWords(run)}
          </span>
        ) : run.status === "canceled" ? (
          <Chip tone="warning">{executionWords(run)}</Chip>
        ) : (
          executionWords(run)
        )}
      </td>
      <td className={tables["wideOnly"]}>{gradingWords(run)}</td>
      <td className={classes(tables["num"], tables["faint"])}>
        <Time at={run.createdAt} />
      </td>
    </tr>
  );
}
