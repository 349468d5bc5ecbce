import { SvcError } from "@svc/sdk";
import { RefreshCw } from "lucide-react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import styles from "./failure.module.css";
import { Notice } from "./notice.tsx";

/** Shows the service's sentence about a failed request, a way to ask again, and the request's id to copy. */
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
