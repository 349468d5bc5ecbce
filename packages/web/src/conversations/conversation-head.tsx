import type { Grade, Trace } from "@svc/contract";
import { platformName } from "@svc/contract/constants";
import { CircleX, TriangleAlert } from "lucide-react";
import { Chip } from "../ui/chip.tsx";
import { formatCount, formatMoment, formatPlural, formatUtc } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { ConversationFacts } from "./timeline/facts.tsx";
import styles from "./timeline/page.module.css";
import { Reasons } from "./timeline/reasons.tsx";
import { cut, shownText } from "./shown-text.ts";

const NAME_CHARACTERS = 120;

export const conversationName = ({ agentName, serviceName, rootName }: Trace): string =>
  cut(shownText(agentName ?? serviceName ?? rootName ?? "Conversation"), NAME_CHARACTERS);

type ConversationHeadProps = { conversation: Trace; grades: readonly Grade[] };

export function ConversationHead({ conversation, grades }: ConversationHeadProps) {
  const { source, vocabulary, startedAt, state, complete, quality, errorCount } = conversation;
  const notes = quality.notes.length;
  return (
    <div className={styles["head"]}>
      <div className={styles["title"]}>
        <h2>
          <bdi>{conversationName(conversation)}</bdi>
        </h2>
        <span className={styles["muted"]} title={formatUtc(startedAt)}>
          {formatMoment(startedAt)}
        </span>
        <Chip tone="plain">{source}</Chip>
        {vocabulary !== null && vocabulary !== source && <Chip tone="plain">{platformName(vocabulary)}</Chip>}
        {state === "provisional" && <Chip tone="accent">{complete ? "being read" : "live"}</Chip>}
        {errorCount > 0 && (
          <Chip tone="failed" icon={CircleX}>
            {formatPlural(errorCount, "error")}
          </Chip>
        )}
        {notes > 0 && (
          <Chip tone="warning" icon={TriangleAlert}>
            {formatPlural(notes, "note")} on quality
          </Chip>
        )}
      </div>
      <Reasons grades={grades} />
      <ConversationFacts conversation={conversation} />
      <Missing conversation={conversation} />
    </div>
  );
}

function Missing({ conversation }: { conversation: Trace }) {
  const { spansTruncated, spans, spanCount, quality, vocabulary } = conversation;
  const isUnknown = vocabulary === null && spans.length > 0;
  if (!spansTruncated && quality.spansWithoutContent === 0 && !isUnknown) return null;
  return (
    <div className={styles["notices"]}>
      {spansTruncated && (
        <Notice kind="warning">
          The conversation has {formatCount(spanCount)} spans, and this page holds the first {formatCount(spans.length)}
          . Turns, calls and measures cover only these.
        </Notice>
      )}
      {quality.spansWithoutContent > 0 && (
        <Notice kind="warning">
          {formatPlural(quality.spansWithoutContent, "span")} could not be read, because the storage of the service is
          damaged. Measures are unknown.
        </Notice>
      )}
      {isUnknown && (
        <Notice kind="info">
          No known vocabulary matches these spans, so there are no turns. The spans are listed as sent.
        </Notice>
      )}
    </div>
  );
}
