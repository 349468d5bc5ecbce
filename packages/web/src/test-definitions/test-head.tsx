import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleDot } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { suitesQuery } from "../suites/queries.ts";
import { Notice } from "../ui/notice.tsx";
import type { StoredTest } from "./test-content.ts";
import styles from "./test-head.module.css";

type TestHeadProps = { test: StoredTest; version: number; isChanged: boolean; isStale: boolean };

/** The version and the suite of a test, and whether edits are not saved. */
export function TestHead({ test, version, isChanged, isStale }: TestHeadProps) {
  const place = usePlace();
  const { data: suites } = useQuery(suitesQuery(place));
  const suite = suites?.find(({ id }) => id === test.suite_id);
  return (
    <>
      <div className={styles["head"]}>
        <h2>{test.name}</h2>
        <span className={styles["version"]}>version {version}</span>
        {suite && (
          <Link to="/o/$organizationId/p/$project/suites/$suiteId" params={{ ...place.params, suiteId: suite.id }}>
            suite {suite.name}
          </Link>
        )}
        {isChanged && (
          <span className={styles["unsaved"]} role="status">
            <CircleDot size={14} aria-hidden />
            Unsaved changes
          </span>
        )}
      </div>
      {isStale && (
        <div className={styles["stale"]}>
          <Notice kind="warning">
            Somebody saved version {test.version} meanwhile. Saving shows both edits side by side; nothing is lost.
          </Notice>
        </div>
      )}
    </>
  );
}
