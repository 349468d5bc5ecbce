import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./notice.module.css";
import { classes } from "./classes.ts";

const ICONS = { info: Info, warning: TriangleAlert, failed: CircleAlert };

/** A sentence above the part of the page that it is about. */
export function Notice({ kind = "info", children }: { kind?: keyof typeof ICONS; children: ReactNode }) {
  const Icon = ICONS[kind];
  return (
    <div className={classes(styles["notice"], styles[kind])} role={kind === "failed" ? "alert" : "status"}>
      <Icon size={16} aria-hidden />
      <div>{children}</div>
    </div>
  );
}
