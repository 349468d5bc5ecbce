import type { CallReport } from "@svc/contract";
import type { ReactNode } from "react";
import { Provenance } from "../../ui/provenance.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatCount, formatMs } from "../../ui/format.ts";
import { valueText } from "../shown-text.ts";
import { ValueBlock } from "./value-block.tsx";
import styles from "./panels.module.css";

/** A platform's statements about the whole call, apart from what the service measured. */
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
      p50 === null
        ? null
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

/** A link to the platform. The service does not fetch the address, and only web addresses are links. */
function OutsideLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <UserText text={url} />;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      Open at the platform
    </a>
  );
}

const words = (name: string): string => name.replaceAll("_", " ");

/** Returns the words of a name, the first with a capital letter. */
const sentence = (name: string): string => words(name).replace(/^\p{Ll}/u, (first) => first.toUpperCase());

const answerText = (value: unknown): string => (value === true ? "yes" : value === false ? "no" : valueText(value));

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
