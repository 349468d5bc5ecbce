import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RecordHead } from "../editing/record-head.tsx";
import { usePlace } from "../frame/place.ts";
import { suitesQuery } from "../suites/queries.ts";
import type { StoredTest } from "./test-content.ts";

type TestHeadProps = { test: StoredTest; version: number; isChanged: boolean; isStale: boolean };

/** The version and the suite of a test, and whether edits are not saved. */
export function TestHead({ test, version, isChanged, isStale }: TestHeadProps) {
  const place = usePlace();
  const { data: suites } = useQuery(suitesQuery(place));
  const suite = suites?.find(({ id }) => id === test.suite_id);
  return (
    <RecordHead
      name={test.name}
      version={version}
      isChanged={isChanged}
      savedMeanwhile={isStale ? test.version : undefined}
    >
      {suite && (
        <Link to="/o/$organizationId/p/$project/suites/$suiteId" params={{ ...place.params, suiteId: suite.id }}>
          suite {suite.name}
        </Link>
      )}
    </RecordHead>
  );
}
