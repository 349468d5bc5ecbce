import type { Grade, LabelVerdict, ReviewItem, ReviewQueue } from "@svc/contract";
import { REVIEW_REASON_NAMES, REVIEW_REASONS } from "@svc/contract/constants";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, ClipboardCheck, SkipForward } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { conversationQuery } from "../conversations/queries.ts";
import { TimelineProvider } from "../conversations/timeline/context.tsx";
import { Timeline } from "../conversations/timeline/timeline.tsx";
import { queries, refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button, WideWords } from "../ui/button.tsx";
import { Empty, RecordFailure } from "../ui/empty.tsx";
import { Filter } from "../ui/filter.tsx";
import { formatCount } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Progress, Skeleton } from "../ui/progress.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { UserText } from "../ui/user-text.tsx";
import { itemQuery } from "./queries.ts";
import styles from "./review.module.css";
import { ReviewPanel } from "./review-panel.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/review");

export function Labeling({ queue }: { queue: ReviewQueue }) {
  const { item: shown, reason } = route.useSearch();
  const place = usePlace();
  const navigate = route.useNavigate();
  const toast = useToast();
  /** Items that the person has seen, in the order in which they were shown. */
  const seen = useRef<string[]>([]);
  const isAtEnd = useRef(false);
  const [isDone, setDone] = useState(false);
  const show = (item: string | undefined) => void navigate({ search: { item, reason }, replace: item !== undefined });

  const next = useMutation({
    mutationFn: (after: string | undefined) => place.client.review.next({ projectId: place.projectId, reason, after }),
    onSuccess: async (answer) => {
      await refresh(place, "review.queue", "review.list");
      const { item, grades } = answer;
      isAtEnd.current = item === null;
      setDone(item === null);
      if (item === null) return show(undefined);
      queries.setQueryData(itemQuery(place, item.id).queryKey, { item, grades });
      show(item.id);
    },
  });
  const { mutate: take, isPending } = next;
  const { canWrite } = place;
  useEffect(() => {
    if (shown === undefined && canWrite && !isAtEnd.current) take(undefined);
  }, [shown, canWrite, take]);
  useEffect(() => {
    if (shown !== undefined && !seen.current.includes(shown)) seen.current.push(shown);
    if (shown !== undefined) isAtEnd.current = false;
  }, [shown]);

  const goOn = () => {
    if (isPending || !canWrite) return;
    const later = shown === undefined ? undefined : seen.current[seen.current.indexOf(shown) + 1];
    if (later !== undefined) show(later);
    else take(shown);
  };
  const goBack = () => {
    const at = shown === undefined ? seen.current.length : seen.current.indexOf(shown);
    const before = seen.current[at - 1];
    if (before !== undefined) show(before);
  };
  const startOver = () => {
    seen.current = [];
    setDone(false);
    take(undefined);
  };
  useKeys({ j: goOn, k: goBack });

  const { open, inWork, done, skipped, waiting } = queue.counts;
  return (
    <>
      <div className={styles["bar"]}>
        <Button small aria-keyshortcuts="k" onClick={goBack}>
          <ChevronLeft size={14} aria-hidden />
          <WideWords>
            Previous <kbd aria-hidden>k</kbd>
          </WideWords>
        </Button>
        <Button small aria-keyshortcuts="j" busy={isPending} disabled={!canWrite} onClick={goOn}>
          <WideWords>
            Next <kbd aria-hidden>j</kbd>
          </WideWords>
          <ChevronRight size={14} aria-hidden />
        </Button>
        <Filter
          name="Reason"
          options={REVIEW_REASON_NAMES.map((value) => ({ value, label: REVIEW_REASONS[value].title }))}
          value={reason}
          onChange={(value) => {
            isAtEnd.current = false;
            seen.current = [];
            void navigate({ search: { reason: REVIEW_REASON_NAMES.find((each) => each === value) } });
          }}
        />
        <div className={styles["progress"]}>
          <span>
            <b>{formatCount(open)}</b> to label
            {inWork > 0 && `, ${formatCount(inWork)} in work`}, {formatCount(done)} done
          </span>
          <Progress label="Done" value={done + skipped} max={open + waiting + done + skipped} />
        </div>
      </div>
      {next.error && (
        <div className={styles["padded"]}>
          <Failure error={next.error} again={() => take(shown)} />
        </div>
      )}
      {shown !== undefined ? (
        <ShownItem key={shown} id={shown} onDone={(words) => (toast(words), goOn())} />
      ) : isDone ? (
        <NothingLeft queue={queue} reason={reason} onAgain={startOver} />
      ) : (
        !next.error && (
          <div className={styles["padded"]}>
            <Skeleton rows={8} />
          </div>
        )
      )}
    </>
  );
}

type NothingLeftProps = { queue: ReviewQueue; reason: string | undefined; onAgain: () => void };

function NothingLeft({ queue, reason, onAgain }: NothingLeftProps) {
  const { open, waiting } = queue.counts;
  return (
    <div className={styles["padded"]}>
      <Empty
        icon={ClipboardCheck}
        title="Nothing is left to label for you"
        action={<Button onClick={onAgain}>Look again</Button>}
      >
        <p>
          {open > 0
            ? reason === undefined
              ? "You have seen what is open, or others have it in work."
              : "No open item with this reason is free."
            : queue.enabled
              ? "New conversations come in when they are graded."
              : "The queue is switched off, so nothing comes in."}
          {waiting > 0 && ` ${formatCount(waiting)} wait for a grade.`}
        </p>
      </Empty>
    </div>
  );
}

const NO_GRADES: readonly Grade[] = [];
const noTab = () => undefined;

const firstToLabel = (grades: readonly Grade[], userId: string): string | undefined =>
  (grades.find(({ labels }) => !labels.some((label) => label.userId === userId)) ?? grades[0])?.id ?? undefined;

type Answer = { item: ReviewItem; grades: Grade[] };

function ShownItem({ id, onDone }: { id: string; onDone: (words: string) => void }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(itemQuery(place, id));
  if (data === undefined)
    return (
      <div className={styles["padded"]}>
        {error ? (
          <RecordFailure error={error} again={refetch} noun="item" action={null}>
            Its conversation was erased, or it belongs to another project. Go on with the next one.
          </RecordFailure>
        ) : (
          <Skeleton rows={8} />
        )}
      </div>
    );
  return <OpenItem answer={data} onDone={onDone} />;
}

const SAID: Record<LabelVerdict, string> = { passed: "passed", failed: "failed", unsure: "unsure" };

function OpenItem({ answer, onDone }: { answer: Answer; onDone: (words: string) => void }) {
  const { item, grades } = answer;
  const place = usePlace();
  const { user, canWrite } = place;
  const [chosen, setChosen] = useState<string>();
  const [note, setNote] = useState("");
  const noteField = useRef<HTMLTextAreaElement>(null);
  const current = chosen ?? firstToLabel(grades, user.id);
  const {
    data: conversation,
    error,
    refetch,
  } = useQuery({
    ...conversationQuery(place, item.traceId ?? ""),
    enabled: item.traceId !== null,
  });

  const stored = async (changed: Answer) => {
    queries.setQueryData(itemQuery(place, item.id).queryKey, changed);
    await refresh(place, "review.queue", "review.list", "grades.ofTrace", "simulations.get", "graders.agreement");
  };
  const label = useMutation({
    mutationFn: (verdict: LabelVerdict) =>
      place.client.review.label({
        reviewItemId: item.id,
        projectId: place.projectId,
        gradeId: current,
        verdict,
        ...(note.trim() !== "" && { note: note.trim() }),
      }),
    onSuccess: async (changed, verdict) => {
      setNote("");
      setChosen(undefined);
      await stored(changed);
      if (changed.grades.every(({ labels }) => labels.some((each) => each.userId === user.id)))
        onDone(`Labeled: ${SAID[verdict]}.`);
    },
  });
  const skip = useMutation({
    mutationFn: () => place.client.review.skip({ reviewItemId: item.id, projectId: place.projectId }),
    onSuccess: async (changed) => {
      await stored(changed);
      onDone("Skipped.");
    },
  });
  const isBusy = label.isPending || skip.isPending;
  const say = (verdict: LabelVerdict) => {
    if (canWrite && !isBusy && grades.length > 0) label.mutate(verdict);
  };
  const canSkip = canWrite && item.state !== "done" && item.state !== "skipped";
  // A person must see the conversation before labeling it. The panel must not be rendered before that either, because its later
  // move into the timeline would lose the text of a note.
  const isReady = conversation !== undefined || error !== null || item.traceId === null;
  useKeys(
    {
      p: () => say("passed"),
      f: () => say("failed"),
      u: () => say("unsure"),
      n: () => noteField.current?.focus(),
      s: () => canSkip && !isBusy && skip.mutate(),
    },
    isReady,
  );

  const panel = (
    <ReviewPanel
      item={item}
      grades={grades}
      current={current}
      onChoose={setChosen}
      onLabel={canWrite && say}
      busy={isBusy}
      note={note}
      onNote={setNote}
      noteField={noteField}
      error={label.error ?? skip.error}
      toolName={(index) => conversation?.toolCalls[index]?.name ?? undefined}
      skip={
        canSkip && (
          <Button small look="quiet" aria-keyshortcuts="s" busy={skip.isPending} onClick={() => skip.mutate()}>
            <SkipForward size={14} aria-hidden />
            Skip <kbd aria-hidden>s</kbd>
          </Button>
        )
      }
    />
  );
  return (
    <div className={styles["item"]}>
      <ItemHead item={item} />
      <TimelineProvider conversation={conversation} grades={grades.length === 0 ? NO_GRADES : grades} gradeTab={noTab}>
        {conversation !== undefined ? (
          <Timeline inspector={panel} />
        ) : (
          <div className={styles["padded"]}>
            {error ? (
              <Failure error={error} again={refetch} />
            ) : item.traceId === null ? (
              <Notice>The simulation left no conversation to show.</Notice>
            ) : (
              <Skeleton rows={8} />
            )}
            {isReady && panel}
          </div>
        )}
      </TimelineProvider>
    </div>
  );
}

function ItemHead({ item: { agentName, source, startedAt, traceId, runId, simulationId } }: { item: ReviewItem }) {
  const { params } = usePlace();
  return (
    <header className={styles["itemHead"]}>
      <h2>
        <UserText inline text={agentName ?? "An agent without a name"} />
      </h2>
      <span className={styles["muted"]}>
        {source === "production" ? "production" : "simulation"}
        {startedAt !== null && (
          <>
            , <Time at={startedAt} absolute />
          </>
        )}
      </span>
      {runId !== null && simulationId !== null ? (
        <Link
          to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
          params={{ ...params, runId, simulationId }}
        >
          Open the simulation
        </Link>
      ) : (
        traceId !== null && (
          <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...params, traceId }}>
            Open the conversation
          </Link>
        )
      )}
    </header>
  );
}
