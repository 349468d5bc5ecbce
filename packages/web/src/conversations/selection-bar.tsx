import type { ListedTrace } from "@svc/contract";
import { useNavigate } from "@tanstack/react-router";
import { Download, FlaskConical, ThumbsUp, Trash2, X } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { TESTS_MAX, testsOf } from "../search-params.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { type CsvRows, saveCsv } from "../ui/csv.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { useToast } from "../ui/toast.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { LabelDialog } from "./label-dialog.tsx";
import styles from "./selection-bar.module.css";

type SelectionBarProps = { selected: readonly ListedTrace[]; onClear: () => void };

/** Each label is two requests of the person, whose number in a minute is limited. */
const LABELS_MAX = 100;

/** What can be done with the selected conversations. */
export function SelectionBar({ selected, onClear }: SelectionBarProps) {
  const { params, canWrite, canManage } = usePlace();
  const navigate = useNavigate();
  const [asks, setAsks] = useState<"label" | "delete">();
  const close = () => setAsks(undefined);
  useKeys({ Escape: onClear });
  const makeTests = () =>
    void navigate({
      to: "/o/$organizationId/p/$project/tests/new",
      params,
      search: testsOf(selected.map(({ traceId }) => traceId)),
    });
  return (
    <div className={styles["bar"]} role="toolbar" aria-label="Selected conversations">
      <span role="status">{formatCount(selected.length)} selected</span>
      {canWrite && (
        <Button
          small
          disabled={selected.length > TESTS_MAX}
          title={selected.length > TESTS_MAX ? `Select at most ${TESTS_MAX} to make tests of them.` : undefined}
          onClick={makeTests}
        >
          <FlaskConical size={14} aria-hidden />
          {selected.length === 1 ? "Make a test" : "Make tests"}
        </Button>
      )}
      {canWrite && (
        <Button
          small
          disabled={selected.length > LABELS_MAX}
          title={selected.length > LABELS_MAX ? `Select at most ${LABELS_MAX} to label them.` : undefined}
          onClick={() => setAsks("label")}
        >
          <ThumbsUp size={14} aria-hidden />
          Label
        </Button>
      )}
      <Button small onClick={() => saveCsv("svc-conversations", csvRowsOf(selected))}>
        <Download size={14} aria-hidden />
        Save as CSV
      </Button>
      {canManage && (
        <Button small onClick={() => setAsks("delete")}>
          <Trash2 size={14} aria-hidden />
          Delete
        </Button>
      )}
      <Button small look="quiet" iconOnly aria-label="Select none" title="Select none Esc" onClick={onClear}>
        <X size={14} aria-hidden />
      </Button>
      {asks === "label" && <LabelDialog selected={selected} onClose={close} />}
      {asks === "delete" && <DeleteDialog selected={selected} onClear={onClear} onClose={close} />}
    </div>
  );
}

const CSV_HEAD = ["trace_id", "started_at", "source", "agent", "agent_version", "channel", "summary_or_first_words"];
const CSV_COUNTS = ["turns", "tool_calls", "errors", "duration_ms", "slowest_answer_ms"];

/** Returns a row for each conversation, below the names of the columns. */
const csvRowsOf = (conversations: readonly ListedTrace[]): CsvRows => [
  [...CSV_HEAD, ...CSV_COUNTS],
  ...conversations.map((one) => [
    one.traceId,
    one.startedAt,
    one.source,
    one.agentName,
    one.agentVersion,
    one.channel,
    one.reportedOutcome?.summary ?? one.preview,
    one.turnCount,
    one.toolCallCount,
    one.errorCount,
    one.durationMs,
    (one.responseLatency ?? one.textResponseTime)?.max ?? null,
  ]),
];

function DeleteDialog({ selected, onClear, onClose }: SelectionBarProps & { onClose: () => void }) {
  const { client, organizationId, projectId } = usePlace();
  const toast = useToast();
  const [chosen] = useState(selected);
  const [deleted] = useState(() => new Set<string>());
  const [count, setCount] = useState(0);
  const words = formatPlural(chosen.length, "conversation");
  const close = () => {
    onClose();
    if (deleted.size === 0) return;
    onClear();
    void queries.resetQueries({ queryKey: [organizationId, projectId, "traces.list"] });
  };
  return (
    <ConfirmDialog
      title={`Delete ${words}?`}
      action={`Delete ${words}`}
      act={async () => {
        const errors: unknown[] = [];
        for (const { traceId } of chosen) {
          if (deleted.has(traceId)) continue;
          try {
            await client.traces.delete({ traceId, projectId });
            setCount(deleted.add(traceId).size);
          } catch (error) {
            errors.push(error);
          }
        }
        // A second press of the button tries those that failed.
        if (errors.length > 0) throw errors[0];
      }}
      onDone={() => {
        toast(`Deleted ${words}.`);
        close();
      }}
      onClose={close}
    >
      <p>
        Their turns, measures, grades, recordings and the notes of labels are gone at once, and their bytes within an
        hour. Spans of them that arrive later are dropped. The simulation of a deleted conversation keeps its verdicts
        without texts.
      </p>
      <p role="status">{count > 0 && `${formatCount(count)} of ${formatCount(chosen.length)} deleted.`}</p>
    </ConfirmDialog>
  );
}
