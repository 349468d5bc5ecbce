import type { GraderAgreement } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { usePlace } from "../shell/place.ts";
import { Backticked } from "../ui/user-text.tsx";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/notice.tsx";
import { formatNumber, formatPercent, formatPlural } from "../ui/format.ts";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import styles from "./graders.module.css";
import { agreementQuery } from "./queries.ts";

export function AgreementCard({ graderId }: { graderId: string }) {
  const { data, error, refetch } = useQuery(agreementQuery(usePlace(), graderId));
  return (
    <Section title="Agreement with people" note="only verdicts of a judge count">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined
        ? !error && <Skeleton rows={3} />
        : data.length > 0 && (
            <>
              <Table
                label="Agreement with people"
                columns={[
                  { head: "Version" },
                  { head: "Labels", numeric: true },
                  { head: "Agreement", numeric: true },
                  { head: "Kappa", numeric: true },
                  { head: "Balanced accuracy", numeric: true },
                  { head: "False passes", numeric: true },
                  { head: "False fails", numeric: true },
                  { head: "Kappa of people", numeric: true },
                ]}
              >
                {data.map((version) => (
                  <VersionRow key={`${version.versionId} ${judgeText(version)}`} agreement={version} />
                ))}
              </Table>
              <Missing versions={data} />
            </>
          )}
    </Section>
  );
}

const judgeText = ({ judge }: GraderAgreement): string =>
  judge === null ? "" : `${judge.model}, prompt ${judge.promptVersion}`;

const rate = (share: number | null, low: number | null, high: number | null): string =>
  share === null || low === null || high === null
    ? "–"
    : `${formatPercent(share)} (${formatPercent(low)} to ${formatPercent(high)})`;

type Kappa = Pick<GraderAgreement, "kappa" | "kappaLow" | "kappaHigh">;

const kappaWords = ({ kappa, kappaLow, kappaHigh }: Kappa): string =>
  kappa === null || kappaLow === null || kappaHigh === null
    ? "–"
    : `${formatNumber(kappa)} (${formatNumber(kappaLow)} to ${formatNumber(kappaHigh)})`;

function VersionRow({ agreement }: { agreement: GraderAgreement }) {
  const { version, labels } = agreement;
  return (
    <tr className={styles["agreement"]}>
      <td>
        v{version} <span className={tables["faint"]}>{judgeText(agreement)}</span>
      </td>
      <td className={tables["num"]}>{labels}</td>
      <td className={tables["num"]}>{rate(agreement.agreement, agreement.agreementLow, agreement.agreementHigh)}</td>
      <td className={tables["num"]}>{kappaWords(agreement)}</td>
      <td className={tables["num"]}>
        {rate(agreement.balancedAccuracy, agreement.balancedAccuracyLow, agreement.balancedAccuracyHigh)}
      </td>
      <td className={tables["num"]}>{rate(agreement.falsePass, agreement.falsePassLow, agreement.falsePassHigh)}</td>
      <td className={tables["num"]}>{rate(agreement.falseFail, agreement.falseFailLow, agreement.falseFailHigh)}</td>
      <td className={tables["num"]}>
        {agreement.people.grades === 0
          ? "–"
          : `${kappaWords(agreement.people)} of ${formatPlural(agreement.people.grades, "grade")}`}
      </td>
    </tr>
  );
}

function Missing({ versions }: { versions: readonly GraderAgreement[] }) {
  const [newest] = versions;
  if (newest === undefined) return null;
  const { missing, undecided, unsure, judgedByCode, people } = newest;
  const sentences = [
    missing,
    undecided > 0 && `${undecided} labels are of undecided grades.`,
    unsure > 0 && `${unsure} labels are unsure.`,
    people.grades > 0 && people.missing,
    judgedByCode > 0 && `${judgedByCode} labels are of grades that code decided.`,
  ].filter(Boolean);
  return sentences.length === 0 ? null : (
    <p className={styles["missing"]}>
      <Backticked text={sentences.join(" ")} />
    </p>
  );
}
