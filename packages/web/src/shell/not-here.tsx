import { SvcError } from "@svc/sdk";
import { Link, useRouter } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { isMissingPart, useLoadAgain } from "./load-again.ts";
import styles from "./not-here.module.css";

/** Page for an address without a page, and for a record that does not exist or is not visible to the person. */
export function NotHere() {
  return (
    <main className={styles["middle"]}>
      <Empty
        icon={SearchX}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        <p>It never existed, was deleted, or belongs to a project that you cannot see.</p>
      </Empty>
    </main>
  );
}

export function PageFailure({ error }: { error: unknown }) {
  const router = useRouter();
  const isMissing = isMissingPart(error);
  useLoadAgain(isMissing);
  if (error instanceof SvcError && error.status === 404) return <NotHere />;
  return (
    <main>{isMissing ? <Failure error={error} /> : <Failure error={error} again={() => router.invalidate()} />}</main>
  );
}
