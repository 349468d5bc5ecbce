import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import styles from "./notice.module.css";

const ICONS = { info: Info, warning: TriangleAlert, failed: CircleAlert, good: CircleCheck };

type NoticeProps = { kind?: keyof typeof ICONS; action?: ReactNode; children: ReactNode };

/** A sentence above the part of the page that it is about. */
export function Notice({ kind = "info", action, children }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div className={classes(styles["notice"], styles[kind])} role={kind === "failed" ? "alert" : "status"}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <div className={styles["text"]}>{children}</div>
      {action}
    </div>
  );
}
