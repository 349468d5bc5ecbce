import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { queries, refresh } from "../queries.ts";
import { sameValue } from "../editing/merge.ts";
import { EditorLayout, NewRecordPage } from "../editing/record-page.tsx";
import { useDraft } from "../editing/use-draft.ts";
import { usePlace } from "../shell/place.ts";
import { suitesQuery } from "../suites/queries.ts";
import { Card } from "../ui/card.tsx";
import { Select } from "../ui/field.tsx";
import { useToast } from "../ui/toast.tsx";
import { FormsCard } from "./form/forms-card.tsx";
import { TestForm } from "./form/test-form.tsx";
import { testQuery } from "./queries.ts";
import { TestsLink } from "./tests-link.tsx";
import { EMPTY_TEST, NO_TEST_ERRORS, type TestContent, testErrorsOf, tidied } from "./test-content.ts";

type NewTestEditorProps = {
  /** Name of the draft in the session storage of the tab. */
  draftKey: string;
  first: TestContent;
  suiteId: string | undefined;
  /** Search parameters of this page for the conversation that gets a test after this one. */
  next?: { conversation: string; failing: true | undefined; following: string | undefined } | undefined;
  /** Notice on the origin of the draft. */
  notice?: ReactNode;
};

const NO_TEST = { versionId: "", version: 0, content: EMPTY_TEST };

export function NewTestEditor({ draftKey, first, suiteId, next, notice }: NewTestEditorProps) {
  const place = usePlace();
  const navigate = useNavigate();
  const toast = useToast();
  const { data: suites = [] } = useQuery(suitesQuery(place));
  const draft = useDraft(draftKey, NO_TEST, sameValue(first, EMPTY_TEST) ? undefined : first);
  const [chosen, setChosen] = useState(suiteId);
  const [errors, setErrors] = useState(NO_TEST_ERRORS);
  const suite = chosen ?? suites.find(({ isDefault }) => isDefault)?.id;
  const creating = useMutation({
    mutationFn: () => {
      const { behaviors, mockTools, personas, ...rest } = tidied(draft.content);
      return place.client.tests.create({
        ...rest,
        expected_behaviors: [...behaviors],
        personas: [...personas],
        mock_tools: [...mockTools],
        suite,
        project: place.projectId,
      });
    },
    onSuccess: async (test) => {
      queries.setQueryData(testQuery(place, test.id).queryKey, test);
      for (const name of ["tests.list", "suites.list", "runs.resultsOfTests"]) void refresh(place, name);
      draft.discard();
      const to = { params: { ...place.params, testId: test.id }, replace: true, ignoreBlocker: true } as const;
      if (next === undefined) await navigate({ ...to, to: "/o/$organizationId/p/$project/tests/$testId" });
      else {
        toast(`Created “${test.name}”.`);
        await navigate({ ...to, to: "/o/$organizationId/p/$project/tests/new", search: next });
      }
    },
    onError: (error) => setErrors(testErrorsOf(error, draft.content)),
  });
  return (
    <NewRecordPage
      noun="test"
      above={<TestsLink />}
      isChanged={!sameValue(draft.content, EMPTY_TEST)}
      creating={creating}
      onDiscard={draft.discard}
    >
      <EditorLayout
        form={
          <div>
            {notice}
            <TestForm content={draft.content} errors={errors} onChange={draft.change} />
          </div>
        }
        aside={
          <>
            <Card>
              <Select
                label="Suite"
                help="A run plays the tests of a suite together."
                options={suites.map(({ id, name }) => ({ value: id, label: name }))}
                value={suite ?? ""}
                onChange={({ target }) => setChosen(target.value)}
              />
            </Card>
            <FormsCard />
          </>
        }
      />
    </NewRecordPage>
  );
}
