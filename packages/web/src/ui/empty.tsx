import { SvcError } from "@svc/sdk";
import { type LucideIcon, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./empty.module.css";
import { Failure } from "./notice.tsx";

type EmptyProps = { icon?: LucideIcon; title: string; children?: ReactNode; action?: ReactNode };

/** Explains what will be shown here, and what to do next. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className={styles["empty"]}>
      {Icon && <Icon size={24} strokeWidth={1.5} aria-hidden />}
      <h2>{title}</h2>
      {children !== undefined && <div className={styles["text"]}>{children}</div>}
      {action !== undefined && <div className={styles["action"]}>{action}</div>}
    </div>
  );
}

type EmptyByFilterProps = {
  /** Such as `source production`. */
  filters: readonly string[];
  onClear: () => void;
};

export function EmptyByFilter({ filters, onClear }: EmptyByFilterProps) {
  return (
    <Empty icon={SearchX} title="Nothing matches" action={<Button onClick={onClear}>Take the filters off</Button>}>
      <p>
        Filters: <bdi>{filters.join(", ")}</bdi>
      </p>
    </Empty>
  );
}

type RecordFailureProps = {
  error: unknown;
  again: () => unknown;
  /** Such as `run`. */
  noun: string;
  action: ReactNode;
  /** Reason for which the record may be missing. */
  children?: ReactNode;
};

export function RecordFailure({ error, again, noun, action, children }: RecordFailureProps) {
  if (!(error instanceof SvcError) || error.status !== 404) return <Failure error={error} again={again} />;
  return (
    <Empty title={`This ${noun} is not here`} action={action}>
      <p>{children ?? "It never existed, or it belongs to another project."}</p>
    </Empty>
  );
}
