import type { LabelVerdict, ListedTrace } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import { useMutation, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { RadioGroup } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Select, TextArea } from "../ui/field.tsx";
import { formatCount, formatMoment, formatPlural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";
import { labelChoices } from "./label-choices.ts";
import { gradesQuery } from "./queries.ts";
import { cut, shownText } from "./shown-text.ts";

const VERDICTS: { value: LabelVerdict; label: string; help?: string }[] = [
  { value: "passed", label: "Passed" },
  { value: "failed", label: "Failed" },
  { value: "unsure", label: "Unsure", help: "Is stored, and counts in no number." },
];
const CRITERION_CHARACTERS = 100;

type LabelDialogProps = { selected: readonly ListedTrace[]; onClose: () => void };

/** Sets a person's label on one grade of each of the conversations. */
export function LabelDialog({ selected, onClose }: LabelDialogProps) {
  const place = usePlace();
  const { client, organizationId, projectId } = place;
  const toast = useToast();
  const [chosen] = useState(selected);
  const answers = useQueries({ queries: chosen.map(({ traceId }) => gradesQuery(place, traceId, undefined)) });
  const read = answers.filter(({ isPending }) => !isPending).length;
  const choices = labelChoices(
    new Map(
      answers.flatMap(({ data }, at) => (data === undefined ? [] : [[chosen[at]!.traceId, data.grades] as const])),
    ),
  );
  const [key, setKey] = useState<string>();
  const [verdict, setVerdict] = useState<LabelVerdict>();
  const [note, setNote] = useState("");
  const [failures, setFailures] = useState<{ traceId: string; message: string }[]>([]);
  const [labeled] = useState(() => new Set<string>());
  const [count, setCount] = useState(0);
  const choice = choices.find((one) => one.key === key) ?? choices[0];
  const graded = choice?.gradeIds.size ?? 0;
  /** A second press of the button tries only those that failed, while the label is the same. */
  const start = () => {
    labeled.clear();
    setCount(0);
    setFailures([]);
  };
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const failed: typeof failures = [];
      setFailures([]);
      for (const [traceId, gradeId] of choice!.gradeIds) {
        if (labeled.has(traceId)) continue;
        try {
          const text = note.trim();
          await client.grades.label({ gradeId, verdict: verdict!, ...(text !== "" && { note: text }), projectId });
          setCount(labeled.add(traceId).size);
        } catch (error) {
          failed.push({ traceId, message: error instanceof Error ? error.message : String(error) });
        }
      }
      await queries.invalidateQueries({ queryKey: [organizationId, projectId, "grades.ofTrace"] });
      return failed;
    },
    onSuccess: (failed) => {
      setFailures(failed);
      if (failed.length > 0) return;
      toast(`Labeled ${formatPlural(labeled.size, "conversation")}.`);
      onClose();
    },
  });
  const unread = chosen.flatMap(({ traceId }, at) =>
    answers[at]!.error === null ? [] : [{ traceId, message: answers[at]!.error!.message }],
  );
  const isReady = read === chosen.length && choice !== undefined && verdict !== undefined;
  return (
    <Dialog
      wide
      title={`Label ${formatPlural(chosen.length, "conversation")}`}
      lede="Your label says what is right about one grade of each conversation. It changes no verdict, counts in the agreement of the grader, and replaces your earlier label."
      onClose={isPending ? undefined : onClose}
      onSubmit={() => isReady && mutate()}
      footer={
        <>
          <Button look="quiet" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={isPending} disabled={!isReady}>
            {graded === 0 ? "Label" : `Label ${formatPlural(graded, "conversation")}`}
          </Button>
        </>
      }
    >
      {read < chosen.length ? (
        <p role="status">
          Reading grades: {formatCount(read)} of {formatPlural(chosen.length, "conversation")}
        </p>
      ) : choice === undefined ? (
        <Notice>
          None of these conversations has a grade. A grader grades simulations, and the share of production
          conversations that its settings name.
        </Notice>
      ) : (
        <>
          <Select
            label="What you judge"
            options={choices.map(({ key: value, graderName, criterion, gradeIds }) => ({
              value,
              label: `${cut(shownText(criterion), CRITERION_CHARACTERS)} (${formatCount(gradeIds.size)} of ${formatCount(chosen.length)})`,
              group: shownText(graderName),
            }))}
            value={choice.key}
            help={
              graded < chosen.length &&
              `${formatPlural(chosen.length - graded, "conversation")} ${chosen.length - graded === 1 ? "has" : "have"} no grade for this, and ${chosen.length - graded === 1 ? "gets" : "get"} no label.`
            }
            onChange={({ target }) => {
              start();
              setKey(target.value);
            }}
          />
          <RadioGroup
            legend="What is right?"
            options={VERDICTS}
            value={verdict}
            onChange={(value) => {
              start();
              setVerdict(value);
            }}
          />
          <TextArea
            label="Note"
            rows={2}
            maxLength={LIMITS.behaviorCharacters}
            help="Optional. Every label gets it."
            value={note}
            onChange={({ target }) => {
              start();
              setNote(target.value);
            }}
          />
          <p role="status">{isPending && `${formatCount(count)} of ${formatPlural(graded, "conversation")} labeled`}</p>
        </>
      )}
      {[...unread, ...failures].length > 0 && (
        <Notice kind="failed">
          <p>Not labeled. Press the button to try again.</p>
          <ul>
            {[...unread, ...failures].map(({ traceId, message }) => (
              <li key={traceId}>
                {formatMoment(chosen.find((one) => one.traceId === traceId)!.startedAt)}: <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </Dialog>
  );
}
