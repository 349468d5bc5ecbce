import type { Trace } from "@svc/contract";
import { PROVENANCES } from "@svc/contract/constants";
import type { ReactNode } from "react";
import { Provenance } from "../../ui/provenance.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { Notice } from "../../ui/notice.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatCount, formatPlural } from "../../ui/format.ts";
import styles from "./panels.module.css";

/** The inspector's part about the data: how far the spans are complete and understood. */
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
        : [vocabulary, generation && `generation ${generation}`, language].filter(Boolean).join(", "),
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
