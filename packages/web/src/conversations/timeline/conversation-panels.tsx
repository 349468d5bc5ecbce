import type { Trace } from "@svc/contract";
import { PROVENANCES, withoutUnheard, platformName } from "@svc/contract/constants";
import type { ReactNode } from "react";
import { formatCount, formatPlural } from "../../ui/format.ts";
import { KeyValues } from "../../ui/key-values.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Provenance } from "../../ui/chip.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { differenceText, type HeardPair, heardPairs, measureText, valueOf, withoutPairs } from "./measures.ts";
import styles from "./panels.module.css";

export function MeasuresPanel({ conversation }: { conversation: Trace }) {
  const pairs = heardPairs(conversation.measures);
  return (
    <>
      {pairs.length > 0 && <HeardTable pairs={pairs} />}
      <p className={styles["small"]}>Means; counts and tokens are sums.</p>
      <table className={styles["measures"]}>
        <tbody>
          {withoutUnheard(withoutPairs(conversation.measures, pairs)).map((measure) => {
            const { label, meaning, value, detail } = measureText(measure);
            return (
              <tr key={measure.name}>
                <td>
                  <div title={meaning}>{label}</div>
                  {detail !== null && <div className={styles["reason"]}>{detail}</div>}
                </td>
                <td className={styles["number"]}>{value}</td>
                <td className={styles["source"]}>
                  <Provenance provenance={measure.provenance} short />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function HeardTable({ pairs }: { pairs: readonly HeardPair[] }) {
  const text = ({ summary, provenance }: HeardPair["heard"], unit: HeardPair["unit"]) =>
    provenance === "unavailable" || summary.mean === null ? "–" : valueOf(summary.mean, unit);
  return (
    <section>
      <h3 className={styles["title"]}>Reported and heard</h3>
      <table className={styles["measures"]}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Measure</span>
            </th>
            <th scope="col">Reported</th>
            <th scope="col">Heard</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ label, meaning, unit, heard, reported, difference }) => (
            <tr key={heard.name}>
              <th scope="row">
                <div title={meaning}>{label}</div>
                {difference !== null && (
                  <div className={styles["reason"]}>{differenceText(difference, unit)} as heard</div>
                )}
              </th>
              <td className={styles["number"]} title={reported.reason ?? undefined}>
                {text(reported, unit)}
              </td>
              <td className={styles["number"]}>{text(heard, unit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function QualityPanel({ conversation }: { conversation: Trace }) {
  const { quality } = conversation;
  return (
    <>
      <h3 className={styles["title"]}>How far this can be trusted</h3>
      <div className={styles["stack"]}>
        {quality.notes.map(({ about, sentence }, index) => (
          <Notice key={`${about} ${index}`} kind="warning">
            <UserText text={sentence} />
          </Notice>
        ))}
        {quality.notes.length === 0 && <Notice kind="good">Nothing is missing, inferred or withheld.</Notice>}
        <KeyValues items={itemsOf(conversation)} />
      </div>
      <h3 className={styles["title"]}>Where values come from</h3>
      <div className={styles["stack"]}>
        {PROVENANCES.map((provenance) => (
          <div key={provenance}>
            <Provenance provenance={provenance} />
          </div>
        ))}
      </div>
    </>
  );
}

function itemsOf(conversation: Trace): [string, ReactNode][] {
  const { quality, vocabulary } = conversation;
  const { language, generation, contentWithheld, turnsWithoutText, unitsInferred, lateSpans, unmappedKeys } = quality;
  const items: [string, ReactNode][] = [
    [
      "Read as",
      vocabulary === null
        ? "unknown"
        : [platformName(vocabulary), generation && `generation ${generation}`, language].filter(Boolean).join(", "),
    ],
    [
      "Text",
      contentWithheld === true
        ? "withheld by the sender"
        : turnsWithoutText > 0
          ? `missing in ${formatPlural(turnsWithoutText, "turn")}`
          : contentWithheld === null
            ? "none sent"
            : "complete",
    ],
    [
      "Units inferred",
      unitsInferred.length === 0
        ? "none"
        : unitsInferred.map(({ attribute, unit }) => `${attribute} in ${unit}`).join(", "),
    ],
    ["Root span", quality.rootMissing ? "missing" : "received"],
    ["Late spans", lateSpans === null ? "unknown" : lateSpans ? "yes" : "none"],
    [
      "Spans",
      `${formatCount(conversation.spanCount)}${quality.spansWithoutContent > 0 ? `, ${formatCount(quality.spansWithoutContent)} unreadable` : ""}`,
    ],
    ["Impossible times", formatCount(quality.impossibleTimes)],
    ["Unknown keys", formatCount(quality.unmappedKeyCount)],
  ];
  return unmappedKeys.length === 0
    ? items
    : [
        ...items,
        [
          "Most frequent",
          <UserText key="keys" text={unmappedKeys.map(({ key, count }) => `${key} (${count})`).join(", ")} />,
        ],
      ];
}
