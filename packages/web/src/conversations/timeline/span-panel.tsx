import type { Span } from "@svc/contract";
import { MASKED_VALUE } from "@svc/contract/constants";
import { EyeOff, X } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { formatMs } from "../../ui/format.ts";
import { callTime } from "./axis.ts";
import { useTimeline } from "./context.tsx";
import styles from "./panels.module.css";
import { ValueBlock } from "./call-parts.tsx";

/** A text of more characters than this is a block below its key. */
const INLINE_CHARACTERS = 80;

type SpanPanelProps = { span: Span; onClose: () => void };

/** The inspector's part about one span, as the sender sent it, with masks in place of credentials. */
export function SpanPanel({ span, onClose }: SpanPanelProps) {
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

/** Returns the value of a text that is JSON, so that it is shown with indents. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || value.length > 100_000) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
