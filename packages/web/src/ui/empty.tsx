import { type LucideIcon, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./empty.module.css";

type EmptyProps = { icon?: LucideIcon; title: string; children?: ReactNode; action?: ReactNode };

/** Says what would be here, and the next step. */
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
  /** The filters in words, such as `source production`. */
  filters: readonly string[];
  onClear: () => void;
};

/** Says which filters nothing matches, and takes them off. */
export function EmptyByFilter({ filters, onClear }: EmptyByFilterProps) {
  return (
    <Empty icon={SearchX} title="Nothing matches" action={<Button onClick={onClear}>Take the filters off</Button>}>
      <p>
        Filters: <bdi>{filters.join(", ")}</bdi>
      </p>
    </Empty>
  );
}
