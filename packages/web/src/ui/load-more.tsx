import { Button } from "./button.tsx";
import styles from "./load-more.module.css";

type LoadMoreProps = { hasMore: boolean; busy: boolean; onClick: () => void };

/** Asks for the next page of a list; nothing at its end. */
export function LoadMore({ hasMore, busy, onClick }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <div className={styles["more"]}>
      <Button busy={busy} onClick={onClick}>
        Show more
      </Button>
    </div>
  );
}
