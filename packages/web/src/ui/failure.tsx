import { SvcError } from "@svc/sdk";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import styles from "./failure.module.css";

/** Shows the service's sentence about a failed request, a way to ask again, and the request's id. */
export function Failure({ error, again }: { error: unknown; again?: () => unknown }) {
  const requestId = error instanceof SvcError ? error.details["request_id"] : undefined;
  return (
    <Notice kind="failed">
      <p>{(error as Error).message}</p>
      <div className={styles["actions"]}>
        {again && (
          <Button small onClick={() => void again()}>
            Ask again
          </Button>
        )}
        {typeof requestId === "string" && (
          <span>
            Request <code>{requestId}</code>
          </span>
        )}
      </div>
    </Notice>
  );
}
