import { queries, refresh } from "../queries.ts";
import { useVersionedEditor } from "../editing/use-versioned-editor.ts";
import { usePlace } from "../shell/place.ts";
import { testQuery } from "./queries.ts";
import {
  changedFields,
  contentOf,
  makesVersion,
  NO_TEST_ERRORS,
  type StoredTest,
  type TestContent,
  testErrorsOf,
} from "./test-content.ts";

export function useTestEditor(test: StoredTest) {
  const place = usePlace();
  const one = { testId: test.id, project: place.projectId };
  return useVersionedEditor<TestContent, StoredTest, typeof NO_TEST_ERRORS>({
    key: `test.${test.id}`,
    stored: test,
    baseOf: (stored) => ({
      versionId: stored.version_id,
      version: stored.version,
      content: contentOf(stored),
      savedAt: stored.updated_at,
    }),
    changeOf: (base, content) => ({
      isChanged: changedFields(base, content) !== undefined,
      makesVersion: makesVersion(base, content),
    }),
    save: (base, content) =>
      place.client.tests.edit({ ...one, expected_version_id: base.versionId, ...changedFields(base.content, content) }),
    read: () => place.client.tests.get(one),
    merge: async (...sides) => (await import("./merge-tests.ts")).mergeTests(...sides),
    noErrors: NO_TEST_ERRORS,
    errorsOf: testErrorsOf,
    onStored: (stored) => {
      queries.setQueryData(testQuery(place, stored.id).queryKey, stored);
      for (const name of ["tests.list", "tests.versions", "runs.resultsOfTests"]) void refresh(place, name);
    },
  });
}
