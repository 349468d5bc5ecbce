import type { ToolCall } from "@svc/contract";
import { Wrench } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { formatMs, formatPlural } from "../../ui/format.ts";
import { UserText } from "../../ui/user-text.tsx";
import styles from "./panels.module.css";
import { ValueBlock } from "./value-block.tsx";

const TOOLS_SHOWN = 12;

type ToolPartsProps = { tools: { call: ToolCall; at: number }[]; toolFacts: ReadonlyMap<number, string> | undefined };

/** The tool calls of one turn with their arguments and results. */
export function ToolParts({ tools, toolFacts }: ToolPartsProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      {(isWhole ? tools : tools.slice(0, TOOLS_SHOWN)).map(({ call, at }) => (
        <ToolPart key={at} call={call} fact={toolFacts?.get(at)} />
      ))}
      {!isWhole && tools.length > TOOLS_SHOWN && (
        <Button look="quiet" small onClick={() => setWhole(true)}>
          Show all {formatPlural(tools.length, "tool call")}
        </Button>
      )}
    </>
  );
}

function ToolPart({ call, fact }: { call: ToolCall; fact: string | undefined }) {
  return (
    <section>
      <h3 className={styles["title"]}>
        <Wrench size={14} aria-hidden />
        <code>
          <UserText inline text={call.name ?? "tool without a name"} />
        </code>
        {call.isError === true && <Chip tone="failed">Failed</Chip>}
        <span className={styles["end"]}>
          {[fact, call.durationMs === null ? undefined : formatMs(call.durationMs)].filter(Boolean).join(", ")}
        </span>
      </h3>
      {call.arguments !== null && <ValueBlock label="Arguments" value={call.arguments} />}
      {call.result !== null && <ValueBlock label="Result" value={call.result} />}
      {call.arguments === null && call.result === null && (
        <p className={styles["faint"]}>No arguments and no result are known.</p>
      )}
    </section>
  );
}
