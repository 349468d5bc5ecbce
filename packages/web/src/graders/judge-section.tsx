import type { JudgeCalibration } from "@svc/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Gauge } from "lucide-react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Verdict } from "../ui/chip.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { formatCost, formatCount, formatNumber, formatPercent, formatPlural } from "../ui/format.ts";
import { Progress } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import widths from "../ui/widths.module.css";
import styles from "./graders.module.css";
import { LanguageModelLink } from "./language-model-link.tsx";
import { calibrationsQuery, serviceQuery } from "./queries.ts";

export function JudgeSection() {
  const place = usePlace();
  const { data: service } = useQuery(serviceQuery(place));
  const { data, error, refetch } = useQuery(calibrationsQuery(place));
  const calibrate = useMutation({
    mutationFn: () => place.client.judge.calibrate({ projectId: place.projectId }),
    onSuccess: (answer) => queries.setQueryData(calibrationsQuery(place).queryKey, answer),
  });
  const hasModel = service !== undefined && service.languageModel !== null;
  return (
    <Section
      title="Judge"
      note={service === undefined ? undefined : (service.languageModel?.model ?? "no language model")}
      action={
        place.canWrite &&
        hasModel &&
        data !== undefined && (
          <Button small busy={calibrate.isPending || data.running !== null} onClick={() => calibrate.mutate()}>
            <Gauge size={14} aria-hidden />
            Calibrate the judge
          </Button>
        )
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {calibrate.error && <Failure error={calibrate.error} />}
      {data?.failure && <Notice kind="failed">{data.failure}</Notice>}
      {service?.languageModel === null && (
        <Notice kind="info">
          There is no language model. Behaviors that no code decides are not graded until there is one.{" "}
          <LanguageModelLink />
        </Notice>
      )}
      {data?.running && (
        <div className={styles["running"]}>
          <Progress value={data.running.done} max={data.running.total} label="Calibration" />
          {formatCount(data.running.done)} of {formatPlural(data.running.total, "behavior")} judged
        </div>
      )}
      {data !== undefined && data.calibrations.length === 0 && hasModel && data.running === null && (
        <p className={tables["faint"]}>
          No calibration yet. It judges conversations that people labelled, and shows how often the judge is right.
        </p>
      )}
      {data !== undefined && data.calibrations.length > 0 && <Calibrations calibrations={data.calibrations} />}
    </Section>
  );
}

function Calibrations({ calibrations }: { calibrations: readonly JudgeCalibration[] }) {
  const [newest] = calibrations;
  return (
    <>
      <Table
        label="Calibrations"
        stacked
        columns={[
          { head: "Judge" },
          { head: "Right", numeric: true },
          { head: "Balanced", numeric: true },
          { head: "Kappa", numeric: true },
          { head: "False passes", numeric: true },
          { head: "False fails", numeric: true },
          { head: "Inconclusive", numeric: true },
          { head: "No usable reply", numeric: true },
          { head: "Finished", numeric: true },
        ]}
      >
        {calibrations.map((calibration) => (
          <tr key={`${calibration.judge.model} ${calibration.judge.promptVersion} ${calibration.judge.dialect}`}>
            <td className={tables["name"]}>
              {calibration.judge.model}{" "}
              <span className={tables["faint"]}>
                prompt {calibration.judge.promptVersion}, {calibration.judge.dialect}, cost{" "}
                {formatCost(calibration.usage.cost)}
              </span>
            </td>
            <Rate name="right" rate={calibration.accuracy} />
            <Measured name="balanced accuracy" format={formatPercent} measured={calibration.balancedAccuracy} />
            <Measured name="kappa" format={formatNumber} measured={calibration.kappa} />
            <Rate name="false passes" rate={calibration.falsePass} />
            <Rate name="false fails" rate={calibration.falseFail} />
            <Rate name="inconclusive" rate={calibration.inconclusive} />
            <Rate name="no usable reply" rate={calibration.unusable} />
            <td className={tables["num"]}>
              <Time at={calibration.finishedAt} />
            </td>
          </tr>
        ))}
      </Table>
      <p className={styles["missing"]}>
        Ranges are 95 % intervals. Balanced accuracy is the mean of the shares of passing and of failing behaviors that
        the judge got right. A judge that guesses has a kappa of 0.
      </p>
      {newest !== undefined && newest.misses.length > 0 && <Misses misses={newest.misses} />}
    </>
  );
}

const Rate = ({ name, rate }: { name: string; rate: JudgeCalibration["accuracy"] }) => (
  <Measured
    name={name}
    format={formatPercent}
    measured={{ ...rate, value: rate.share }}
    counts={`${formatCount(rate.count)} of ${formatCount(rate.of)}`}
  />
);

type MeasuredProps = {
  name: string;
  measured: JudgeCalibration["kappa"];
  format: (value: number) => string;
  counts?: string;
};

/** On a narrow screen the table has no header, so the cell shows the name too. */
function Measured({ name, measured: { value, low, high }, format, counts }: MeasuredProps) {
  if (value === null || low === null || high === null)
    return (
      <td className={tables["num"]}>
        – <span className={widths["narrowOnly"]}>{name}</span>
      </td>
    );
  return (
    <td className={tables["num"]}>
      <div className={styles["measured"]}>
        {format(value)} <span className={widths["narrowOnly"]}>{name} </span>
        {counts !== undefined && <span className={styles["interval"]}>{counts}, </span>}
        <span className={styles["interval"]}>
          {format(low)} to {format(high)}
        </span>
      </div>
    </td>
  );
}

function Misses({ misses }: Pick<JudgeCalibration, "misses">) {
  return (
    <details className={styles["misses"]}>
      <summary>{formatPlural(misses.length, "behavior")} that the newest judge got wrong</summary>
      <ul>
        {misses.map(({ conversationId, behavior, label, verdict, reason, why }) => (
          <li key={`${conversationId} ${behavior}`}>
            <b>{behavior}</b>
            <p>
              <Verdict verdict={verdict} /> {reason}
            </p>
            <p className={tables["faint"]}>
              The label is {label}: {why}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
