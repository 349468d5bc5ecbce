import { Lock } from "lucide-react";
import { Card, Columns, Section } from "../../../packages/web/src/ui/card.tsx";
import { Chip, Provenance, Verdict, VerdictIcon, type VerdictName } from "../../../packages/web/src/ui/chip.tsx";
import { DayBars, Interval, scaleOf, Sparkline } from "../../../packages/web/src/ui/small-plots.tsx";
import { DiffView } from "../../../packages/web/src/ui/diff-view.tsx";
import { formatDay, formatMs, formatPercent } from "../../../packages/web/src/ui/format.ts";
import { KeyValues } from "../../../packages/web/src/ui/key-values.tsx";
import { LoadMore, Table, tables } from "../../../packages/web/src/ui/table.tsx";
import { Plot } from "../../../packages/web/src/ui/plot.tsx";
import { Progress } from "../../../packages/web/src/ui/progress.tsx";
import { Time } from "../../../packages/web/src/ui/time.tsx";
import { UserText } from "../../../packages/web/src/ui/user-text.tsx";
import styles from "./gallery.module.css";
import { LONG_WORD, RIGHT_TO_LEFT, TURNED } from "./hostile.ts";
import { BARS, DAY_MS, LATENCIES, ONE_AGENT, PARTS, POINTS, RATES, TIMES } from "./samples.ts";

const VERDICTS: VerdictName[] = ["passed", "failed", "inconclusive", "errored", "not_graded"];

const BEFORE = "Ana Silva calls to book a room.\n- says /confirmation code is GH-4207/\n- ends the call\n";
const AFTER =
  "Ana Silva calls to book a room. She pays on arrival.\n- says /confirmation (code|number) is GH-4207/i\n- ends the call\n";

/** Shows verdicts, tables, charts and differences of texts. */
export const Data = () => (
  <>
    <Section title="Verdicts and sources">
      <Card>
        <div className={styles["row"]}>
          {VERDICTS.map((verdict) => (
            <Verdict key={verdict} verdict={verdict} />
          ))}
          <Verdict verdict={null} />
          {VERDICTS.map((verdict) => (
            <VerdictIcon key={verdict} verdict={verdict} size={16} />
          ))}
          <Provenance provenance="measured" />
          <Provenance provenance="provider_reported" />
          <Provenance provenance="approximate" />
          <Provenance provenance="unavailable" />
          <Chip tone="accent">version 3</Chip>
          <Chip tone="plain" icon={Lock}>
            fixed
          </Chip>
          <Chip>{LONG_WORD}</Chip>
        </div>
      </Card>
    </Section>
    <Section title="Agents" note="median of each day" action={<a href="#all">All measures</a>}>
      <Table
        label="Agents"
        stacked
        columns={[
          { head: "Agent" },
          { head: "Response latency", wideOnly: true },
          { head: "Pass rate" },
          { head: "Median", numeric: true },
          { head: "Started", numeric: true },
        ]}
      >
        {["Front desk", RIGHT_TO_LEFT, TURNED, LONG_WORD].map((name, at) => (
          <tr key={name}>
            <td className={at === 3 ? tables["clip"] : tables["name"]}>
              <UserText text={name} inline />
            </td>
            <td className={tables["wideOnly"]}>
              <Sparkline points={POINTS} step={1 / 6} scale={scaleOf(POINTS)} label="Median over time" />
            </td>
            <td>
              <Interval low={0.62} high={0.88} value={0.76} label="Pass rate" />
            </td>
            <td className={tables["num"]}>
              {formatMs(1_190)} <span className={tables["faint"]}>n 19</span>
            </td>
            <td className={tables["num"]}>
              <Time at="2026-11-22T05:57:00Z" />
            </td>
          </tr>
        ))}
      </Table>
      <LoadMore hasMore busy={false} onClick={() => {}} />
    </Section>
    <Columns>
      <Card title="Conversations" action={<a href="#all">All</a>}>
        <DayBars bars={BARS} label="Conversations per day" legend={["with a failed span", "without"]} />
      </Card>
      <Card title="From version 2 to 3" flush>
        <DiffView before={BEFORE} after={AFTER} />
      </Card>
    </Columns>
    <Columns>
      <Card title="Response latency" note="median of answers">
        <Plot
          label="Response latency"
          times={TIMES}
          series={LATENCIES}
          format={formatMs}
          formatTime={formatDay}
          syncKey="gallery"
        />
      </Card>
      <Card title="Tool calls that fail" note="share of calls">
        <Plot
          label="Tool calls that fail"
          times={TIMES}
          series={RATES}
          format={formatPercent}
          formatTime={formatDay}
          syncKey="gallery"
        />
      </Card>
    </Columns>
    <Card title="One agent" note="with parts of its answers, of which one is negative">
      <Plot
        label="One agent"
        times={TIMES}
        series={ONE_AGENT}
        parts={PARTS}
        bucketMs={DAY_MS}
        format={formatMs}
        formatTime={formatDay}
        hasEndLabels={false}
        syncKey="one"
      />
    </Card>
    <Columns>
      <Card title="Facts">
        <KeyValues
          items={[
            ["Trace", <code key="trace">4bf92f3577b34da6a3ce929d0e0e4736</code>],
            ["Agent", <UserText key="agent" text={LONG_WORD} inline />],
            [LONG_WORD, "a long name"],
          ]}
        />
      </Card>
      <Card title="52 of 75 played, 44 graded">
        <Progress value={52} max={75} label="Simulations played" />
        <UserText text={"I'd like a room. ".repeat(200)} />
      </Card>
    </Columns>
  </>
);
