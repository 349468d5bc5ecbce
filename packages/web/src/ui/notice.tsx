import { SvcError } from "@svc/sdk";
import { CircleAlert, CircleCheck, Info, RefreshCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { CopyButton } from "./copy.tsx";
import styles from "./notice.module.css";

const ICONS = { info: Info, warning: TriangleAlert, failed: CircleAlert, good: CircleCheck };

type NoticeProps = { kind?: keyof typeof ICONS; action?: ReactNode; children: ReactNode };

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

export function Failure({ error, again }: { error: unknown; again?: () => unknown }) {
  const requestId = error instanceof SvcError ? error.details["request_id"] : undefined;
  return (
    <Notice kind="failed">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {(again !== undefined || typeof requestId === "string") && (
        <div className={styles["actions"]}>
          {again && (
            <Button small onClick={() => void again()}>
              <RefreshCw size={14} aria-hidden />
              Ask again
            </Button>
          )}
          {typeof requestId === "string" && <CopyButton text={requestId}>Copy the request id</CopyButton>}
        </div>
      )}
    </Notice>
  );
}
