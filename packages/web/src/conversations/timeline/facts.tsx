import type { CallReport, Measure, Trace } from "@svc/contract";
import { SILENCE_MS } from "@svc/contract/constants";
import type { ReactNode } from "react";
import { channelWord } from "../../channel-words.ts";
import { Provenance } from "../../ui/chip.tsx";
import { formatCount, formatMs, formatPercent } from "../../ui/format.ts";
import { differenceText, heardPairs } from "./measures.ts";
import { createClock, endOf } from "./axis.ts";
import styles from "./panels.module.css";
import { silencesOf } from "./model.ts";
import { KeyValues } from "../../ui/key-values.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { valueText } from "../shown-text.ts";
import { ValueBlock } from "./call-parts.tsx";

type Fact = { name: string; value: ReactNode; note?: ReactNode; source?: Measure["provenance"]; wideOnly?: boolean };

export function ConversationFacts({ conversation }: { conversation: Trace }) {
  return (
    <dl className={styles["facts"]}>
      {factsOf(conversation).map(({ name, value, note, source, wideOnly }) => (
        <div key={name} className={wideOnly === true ? styles["wideOnly"] : undefined}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note !== undefined && <small>{note}</small>}
            {source !== undefined && source !== "unavailable" && <Provenance provenance={source} short />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(conversation: Trace): Fact[] {
  const measure = (name: Measure["name"]) => conversation.measures.find((candidate) => candidate.name === name)!;
  const isTyped = measure("text_response_time").provenance !== "unavailable";
  const { turnCount, toolCallCount, toolCalls, turns } = conversation;
  const failed = toolCalls.filter(({ isError }) => isError === true).length;
  const reported = measure(isTyped ? "text_response_time" : "response_latency");
  const heard = measure("heard_response_latency");
  const isOnlyHeard = reported.provenance === "unavailable" && heard.provenance !== "unavailable";
  const latency = latencyFact(isOnlyHeard ? heard : reported, isTyped);
  const tools: Fact = {
    name: "Tool calls",
    value: formatCount(toolCallCount ?? toolCalls.length),
    ...(failed > 0 && { note: <span className={styles["failed"]}>{formatCount(failed)} failed</span> }),
  };
  return [
    { name: "Length", value: conversation.durationMs === null ? "–" : formatMs(endOf(conversation)) },
    { name: "Turns", value: formatCount(turnCount ?? turns.length) },
    ...latency,
    ...(isOnlyHeard ? [] : heardFact(conversation)),
    ...(isTyped
      ? []
      : [
          cutsFact(measure("user_interruptions"), measure("heard_yield_latency")),
          silenceFact(conversation, measure("silence")),
        ]),
    tools,
    ...lossFact(conversation),
    ...(conversation.agentVersion === null
      ? []
      : [{ name: "Version", value: <UserText inline text={conversation.agentVersion} /> }]),
    { name: "Channel", value: channelWord(conversation.channel) },
  ];
}

function latencyFact({ summary, provenance, reason }: Measure, isTyped: boolean): Fact[] {
  const name = isTyped ? "Time to answer" : "Response latency";
  const { n, p50, mean, max } = summary;
  const middle = p50 ?? mean;
  if (provenance === "unavailable" || middle === null)
    return [{ name, value: <span title={reason ?? undefined}>–</span> }];
  return [
    {
      name,
      value: formatMs(middle),
      note: n === 1 ? "one answer" : `${p50 === null ? "mean" : "p50"} of ${formatCount(n)}`,
      source: provenance,
    },
    ...(max === null || n === 1 ? [] : [{ name: "Slowest answer", value: formatMs(max), wideOnly: true }]),
  ];
}

function heardFact({ measures }: Trace): Fact[] {
  const pair = heardPairs(measures).find(({ heard }) => heard.name === "heard_response_latency");
  const middle = pair && (pair.heard.summary.p50 ?? pair.heard.summary.mean);
  if (pair === undefined || middle == null) return [];
  const { heard, difference, unit } = pair;
  const note = difference === null ? {} : { note: `mean ${differenceText(difference, unit)}` };
  return [{ name: "As heard", value: formatMs(middle), ...note, source: heard.provenance }];
}

function cutsFact({ summary, provenance, reason }: Measure, heard: Measure): Fact {
  const name = "Cut short by caller";
  if (provenance === "unavailable" && heard.provenance !== "unavailable")
    return { name, value: formatCount(heard.summary.n), source: heard.provenance };
  if (provenance === "unavailable" || summary.sum === null)
    return { name, value: <span title={reason ?? undefined}>–</span> };
  return { name, value: formatCount(summary.sum), source: provenance };
}

function silenceFact(conversation: Trace, { provenance, reason }: Measure): Fact {
  const name = "Longest silence";
  if (provenance === "unavailable") return { name, value: <span title={reason ?? undefined}>–</span> };
  const silences = silencesOf(conversation, endOf(conversation), createClock(conversation));
  const longest = silences.reduce((most, { fromMs, untilMs }) => Math.max(most, untilMs - fromMs), 0);
  return { name, value: longest === 0 ? `none ≥ ${SILENCE_MS / 1_000} s` : formatMs(longest), source: provenance };
}

function lossFact({ line }: Trace): Fact[] {
  const { packets = 0, lost = null, late = null } = line?.received ?? {};
  if (lost === null || late === null) return [];
  return [
    {
      name: "Packets not heard",
      value: formatPercent((lost + late) / Math.max(1, packets + lost)),
      note: `${formatCount(lost)} lost, ${formatCount(late)} late`,
      source: "heard",
    },
  ];
}

/** The page shows the report of a platform apart from the values that the service measured. */
export function CallReportPart({ report }: { report: CallReport }) {
  return (
    <section>
      <h3 className={styles["title"]}>
        What the platform says
        <span className={styles["end"]}>
          <Provenance provenance="provider_reported" />
        </span>
      </h3>
      <KeyValues items={itemsOf(report)} />
    </section>
  );
}

function itemsOf(report: CallReport): [string, ReactNode][] {
  const { ending, latencies, recordings } = report;
  const texts: [string, string | null][] = [
    ["Ended", ending && `${words(ending.reason)}${ending.group === null ? "" : ` (${words(ending.group)})`}`],
    ["Status", report.status],
    ["Kind of call", report.callType && words(report.callType)],
    ["Direction", report.direction],
    ["From", report.fromNumber],
    ["To", report.toNumber],
    ["Transferred to", report.transferDestination],
    ["Version of the agent", report.agentVersion],
    ["Summary", report.summary],
    ["Sentiment", report.sentiment],
    ...report.verdicts
      .filter(({ name }) => name !== "call_summary" && name !== "user_sentiment")
      .map(({ name, value }): [string, string] => [sentence(name), answerText(value)]),
    ["Tokens", report.tokens === null ? null : formatCount(report.tokens)],
    ["Cost", report.costCents === null ? null : dollars(report.costCents)],
    ...report.costs.map(({ product, cents }): [string, string] => [`Cost of ${words(product)}`, dollars(cents)]),
    ...latencies.map(({ component, p50, p95, n }): [string, string | null] => [
      `Latency of ${words(component)}`,
      p50 === null || n === 1
        ? textOfMs(p50)
        : `p50 ${formatMs(p50)}${p95 === null ? "" : `, p95 ${formatMs(p95)}`}${n === null ? "" : ` of ${n}`}`,
    ]),
  ];
  const values: [string, unknown][] = [
    ["Metadata", report.metadata],
    ["Variables before", report.dynamicVariables],
    ["Variables collected", report.collectedVariables],
  ];
  return [
    ...texts.flatMap(([name, text]): [string, ReactNode][] =>
      text === null || text === "" ? [] : [[name, <UserText key={name} text={text} />]],
    ),
    ...values.flatMap(([name, value]): [string, ReactNode][] =>
      isEmpty(value) ? [] : [[name, <ValueBlock key={name} value={value} />]],
    ),
    ...recordings.map(({ name, url }): [string, ReactNode] => [sentence(name), <OutsideLink key={url} url={url} />]),
    ...(report.logUrl === null ? [] : [["Log", <OutsideLink key="log" url={report.logUrl} />] as [string, ReactNode]]),
  ];
}

const textOfMs = (ms: number | null): string | null => (ms === null ? null : formatMs(ms));

/** The service never fetches the address of the platform. Only an HTTP address becomes a link. */
function OutsideLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <UserText text={url} />;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      Open at the platform
    </a>
  );
}

const words = (name: string): string => name.replaceAll("_", " ");

const sentence = (name: string): string => words(name).replace(/^\p{Ll}/u, (first) => first.toUpperCase());

const answerText = (value: unknown): string => (value === true ? "yes" : value === false ? "no" : valueText(value));
const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
