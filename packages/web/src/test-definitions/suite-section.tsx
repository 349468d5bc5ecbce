import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import type { Suite } from "../suites/queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import type { TestResults } from "./queries.ts";
import styles from "./tests.module.css";
import type { StoredTest } from "./test-content.ts";
import { TestTable } from "./test-table.tsx";

type SuiteSectionProps = { suite: Suite; tests: readonly StoredTest[]; results: readonly TestResults[] };

/** One suite with its tests. */
export function SuiteSection({ suite, tests, results }: SuiteSectionProps) {
  const { params, canWrite } = usePlace();
  return (
    <Section
      title={
        <Link
          to="/o/$organizationId/p/$project/suites/$suiteId"
          params={{ ...params, suiteId: suite.id }}
          className={styles["suite"]}
        >
          {suite.name}
        </Link>
      }
      note={suite.testCount === 1 ? "1 test" : `${suite.testCount} tests`}
      action={
        canWrite &&
        tests.length > 0 && (
          <Link
            to="/o/$organizationId/p/$project/runs/new"
            params={params}
            search={{ suite: suite.id }}
            className={buttonClass("plain", true)}
          >
            <Play size={14} aria-hidden />
            Run this suite
          </Link>
        )
      }
    >
      {tests.length > 0 ? (
        <TestTable tests={tests} results={results} />
      ) : (
        <p className={styles["empty"]}>
          This suite has no tests.{" "}
          {canWrite && (
            <Link to="/o/$organizationId/p/$project/tests/new" params={params} search={{ suite: suite.id }}>
              Write its first test
            </Link>
          )}
        </p>
      )}
    </Section>
  );
}
