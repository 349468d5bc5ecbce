import type { ReactNode } from "react";
import type { Span, Trace } from "@svc/contract";
import { MASKED_VALUE } from "@svc/contract/constants";
import { EyeOff, X } from "lucide-react";
import { Tabs } from "../../ui/tabs.tsx";
import { useKnownTimeline, useShownTurn, useTimeline } from "./context.tsx";
import { useTimelineView } from "./view.ts";
import { Chip, Provenance } from "../../ui/chip.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatMs } from "../../ui/format.ts";
import { AnswerParts, barClass, PART_NAMES } from "./bars.tsx";
import type { TurnRow } from "./model.ts";
import { ModelCallsPart, ToolParts, ValueBlock, VoicePart } from "./call-parts.tsx";
import { CallReportPart } from "./facts.tsx";
import { differenceText } from "./measures.ts";
import styles from "./panels.module.css";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { callTime } from "./axis.ts";

type InspectorTab = { id: string; label: string; count?: number | undefined; content: ReactNode };

/** The address contains the selected tab, unless the first tab is selected. */
export function Inspector({ tabs }: { tabs: readonly [InspectorTab, ...InspectorTab[]] }) {
  const { tab, change } = useTimelineView();
  const [first] = tabs;
  const selected = tabs.find(({ id }) => id === tab) ?? first;
  const select = (id: string) => change({ tab: id === first.id ? undefined : id });
  return (
    <Tabs label="Details" tabs={tabs} selected={selected.id} onSelect={select}>
      {selected.content}
    </Tabs>
  );
}

export function useTurnTab(): InspectorTab {
  const { span: spanId, change } = useTimelineView();
  const { turn } = useShownTurn();
  const trace = useKnownTimeline()?.model.trace;
  const span = spanId === undefined ? undefined : trace?.spans.find((each) => each.spanId === spanId);
  if (span !== undefined)
    return {
      id: "turn",
      label: "Span",
      content: <SpanPanel span={span} onClose={() => change({ span: undefined })} />,
    };
  return { id: "turn", label: turn === undefined ? "Turn" : `Turn ${turn}`, content: <TurnPanel turn={turn} /> };
}

function TurnPanel({ turn: index }: { turn: number | undefined }) {
  const { model, toolFacts } = useTimeline();
  const { callReport, turns, speechCalls, modelCalls } = model.trace;
  const row = index === undefined ? undefined : model.turnRows[index];
  const report = callReport !== null && <CallReportPart report={callReport} />;
  if (row === undefined)
    return (
      <>
        <p className={styles["lede"]}>Select a turn to see its times and calls.</p>
        {report}
      </>
    );
  const { turn, answer } = row;
  const ofTurn = <Call extends { turnIndex: number | null }>(calls: readonly Call[], of: number | undefined = index) =>
    calls.filter(({ turnIndex }) => turnIndex === of);
  const question = answer?.question == null ? undefined : turns[answer.question];
  const heard = question === undefined ? [] : ofTurn(speechCalls, question.index);
  return (
    <>
      {turn.role === "agent" && <AnswerPart row={row} conversation={model.trace} />}
      <ToolParts key={turn.index} tools={row.tools} toolFacts={toolFacts} />
      <ModelCallsPart calls={ofTurn(modelCalls)} />
      <VoicePart calls={[...heard, ...ofTurn(speechCalls)]} confidence={question?.confidence ?? turn.confidence} />
      {report}
    </>
  );
}

function AnswerPart({ row: { answer, heardAnswerMs }, conversation }: { row: TurnRow; conversation: Trace }) {
  if (answer === null) {
    const isOfCall = conversation.measures.some(
      ({ name, samples }) =>
        name === "response_latency" && samples.length > 0 && samples.every(({ turnIndex }) => turnIndex === null),
    );
    return isOfCall ? (
      <section>
        <h3 className={styles["title"]}>Time to answer</h3>
        <p className={styles["lede"]}>
          The platform reports answer times of the whole call, not of each turn. See Measures.
        </p>
      </section>
    ) : null;
  }
  const [number, unit] = formatMs(answer.ms).split(/ (?=\S+$)/);
  return (
    <section>
      <h3 className={styles["title"]}>
        Time to answer
        <span className={styles["end"]}>
          <Provenance provenance={answer.provenance} />
        </span>
      </h3>
      <div className={styles["figure"]}>
        {number}
        <small>{unit}</small>
      </div>
      {heardAnswerMs !== null && (
        <p className={styles["beside"]}>
          The caller heard it after <strong>{formatMs(heardAnswerMs)}</strong>,{" "}
          {differenceText(heardAnswerMs - answer.ms, "ms")}. <Provenance provenance="heard" short />
        </p>
      )}
      {answer.parts.length > 0 && (
        <>
          <AnswerParts parts={answer.parts} />
          <table className={styles["parts"]}>
            <tbody>
              {answer.parts.map(({ kind, ms, pieces }) => [
                <tr key={kind}>
                  <td>
                    <i className={barClass(kind)} />
                    {PART_NAMES[kind]}
                  </td>
                  <td className={styles["number"]}>{formatMs(ms)}</td>
                </tr>,
                ...pieces.map((piece, at) => (
                  <tr key={`${kind} ${at}`} className={styles["piece"]}>
                    <td>
                      of which <UserText inline text={piece.label} />
                    </td>
                    <td className={styles["number"]}>{formatMs(piece.ms)}</td>
                  </tr>
                )),
              ])}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

/** Length of the longest text beside its key. A longer text is a block below the key. */
const INLINE_CHARACTERS = 80;

type SpanPanelProps = { span: Span; onClose: () => void };

/** Shows the span as the sender sent it, with masked credentials. */
function SpanPanel({ span, onClose }: SpanPanelProps) {
  const { clock } = useTimeline().model;
  const { name, status, statusMessage, events, scope, resource, links } = span;
  return (
    <section>
      <h3 className={styles["title"]}>
        <code>
          <UserText inline text={name} />
        </code>
        {status === "error" && <Chip tone="failed">Failed</Chip>}
        <span className={styles["end"]}>
          <Button look="quiet" small iconOnly aria-label="Close the span" onClick={onClose}>
            <X size={14} aria-hidden />
          </Button>
        </span>
      </h3>
      <KeyValues
        items={[
          ["Starts at", callTime(clock.ofNanoseconds(span.startTimeUnixNano))],
          ["Takes", span.durationMs === null ? "unknown: the span has no possible end" : formatMs(span.durationMs)],
          ["Kind", span.kind],
          ["Scope", <UserText inline key="scope" text={[scope.name ?? "none", scope.version ?? ""].join(" ")} />],
          [
            "Span id",
            <span key="id">
              <code>{span.spanId}</code> <CopyButton text={span.spanId} />
            </span>,
          ],
        ]}
      />
      {statusMessage !== null && statusMessage !== "" && <ValueBlock label="Message" value={statusMessage} />}
      <Attributes title="Attributes" attributes={span.attributes} />
      {events.map((event, index) => (
        <Attributes
          key={index}
          title={`Event ${event.name} at ${callTime(clock.ofNanoseconds(event.timeUnixNano))}`}
          attributes={event.attributes}
        />
      ))}
      <Attributes title="Resource" attributes={resource} />
      {links.length > 0 && <ValueBlock label="Links" value={links} />}
    </section>
  );
}

function Attributes({ title, attributes }: { title: string; attributes: Span["attributes"] }) {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return null;
  return (
    <>
      <h3 className={styles["title"]}>
        <UserText inline text={title} />
      </h3>
      {entries.map(([key, value]) => (
        <div key={key} className={styles["attribute"]}>
          <code>
            <UserText inline text={key} />
          </code>
          <AttributeValue value={value} />
        </div>
      ))}
    </>
  );
}

function AttributeValue({ value }: { value: unknown }) {
  if (value === MASKED_VALUE) return <Chip icon={EyeOff}>credential, masked</Chip>;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  if (text.length > INLINE_CHARACTERS || text.includes("\n")) return <ValueBlock value={parsed(value)} />;
  return <UserText text={text} />;
}

/** Returns the value of a text that contains a JSON object or array, so that it is shown indented. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || value.length > 100_000) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
