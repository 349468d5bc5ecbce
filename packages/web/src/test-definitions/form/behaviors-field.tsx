import { LIMITS } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { usePlace } from "../../shell/place.ts";
import { Button } from "../../ui/button.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { added, type BehaviorEdit } from "../behavior-edits.ts";
import { readingsQuery } from "../queries.ts";
import type { TestMockTool } from "../test-content.ts";
import { BehaviorInput } from "./behavior-input.tsx";
import { countsOf } from "./readings.ts";
import styles from "./behaviors-field.module.css";

const TYPING_PAUSE_MS = 150;

type BehaviorsFieldProps = {
  behaviors: readonly string[];
  /** The conditions of success of the mock tools change how the service understands the behaviors. */
  mockTools: readonly TestMockTool[];
  errors: Readonly<Record<number, string>>;
  onChange: ((behaviors: string[]) => void) | undefined;
};

export function BehaviorsField({ behaviors, mockTools, errors, onChange }: BehaviorsFieldProps) {
  const place = usePlace();
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef<{ index: number; atStart: boolean } | undefined>(undefined);
  const asked = useDebounced(JSON.stringify(askedOf(behaviors)), TYPING_PAUSE_MS);
  const conditions = mockTools.filter(({ succeeds_when }) => succeeds_when !== undefined);
  const { data, isPlaceholderData } = useQuery(readingsQuery(place, JSON.parse(asked) as string[], conditions));
  const readings = behaviors.map((behavior) => data?.readings.find((reading) => reading.behavior === behavior.trim()));

  useLayoutEffect(() => {
    if (focus.current === undefined) return;
    const { index, atStart } = focus.current;
    focus.current = undefined;
    const input = list.current?.querySelectorAll("textarea")[index];
    input?.focus();
    const at = atStart ? 0 : (input?.value.length ?? 0);
    input?.setSelectionRange(at, at);
  }, [behaviors]);

  const edit = ({ behaviors: next, focus: index }: BehaviorEdit, atStart = false) => {
    focus.current = { index, atStart };
    onChange?.(next);
  };

  return (
    <section aria-labelledby="behaviors">
      <div className={styles["head"]}>
        <h3 id="behaviors">Expected behaviors</h3>
        <span>{countsOf(readings)}</span>
      </div>
      <ol ref={list}>
        {behaviors.map((behavior, index) => (
          <BehaviorInput
            // Behaviors have no ids, so the index is the key.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            index={index}
            behaviors={behaviors}
            reading={readings[index]}
            isReading={isPlaceholderData && behavior.trim() !== "" && readings[index] === undefined}
            hasJudge={data?.has_judge ?? true}
            error={errors[index]}
            onChange={onChange}
            onEdit={edit}
          />
        ))}
      </ol>
      {onChange && (
        <div className={styles["add"]}>
          <Button small onClick={() => edit(added(behaviors))}>
            <Plus size={14} aria-hidden />
            Add a behavior
          </Button>
          <span>
            <kbd>Return</kbd> adds, <kbd>Alt ↑ ↓</kbd> moves, and pasted lines become several.
          </span>
        </div>
      )}
    </section>
  );
}

/** Leaves out the behaviors that the service would reject: empty or too long behaviors, and behaviors above the maximum number. */
const askedOf = (behaviors: readonly string[]): string[] =>
  [...new Set(behaviors.map((behavior) => behavior.trim()))]
    .filter((behavior) => behavior !== "" && behavior.length <= LIMITS.behaviorCharacters)
    .slice(0, LIMITS.behaviors);
