import type { Grader } from "@svc/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { Card } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { formatPercent } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { graderQuery } from "./queries.ts";
import { GraderSettingsFields, type Settings } from "./settings-fields.tsx";

/** How the project uses a grader. A change takes effect at once and creates no version. */
export function SettingsCard({ grader }: { grader: Grader }) {
  const place = usePlace();
  const cache = useQueryClient();
  const configure = useMutation({
    mutationFn: (changed: Partial<Settings>) =>
      place.client.graders.configure({ graderId: grader.id, projectId: place.projectId, ...changed }),
    onSuccess: async ({ grader: saved }) => {
      cache.setQueryData(graderQuery(place, grader.id).queryKey, saved);
      await cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, "graders.list"] });
    },
  });
  const errors = configure.error === null ? NO_ERRORS : formErrorsOf(configure.error, ["productionSampleRate"]);
  return (
    <Card title="How the project uses it">
      {errors.form !== undefined && <Failure error={configure.error} />}
      {place.canWrite && !grader.archived ? (
        <GraderSettingsFields
          settings={grader}
          disabled={configure.isPending}
          error={errors.fields["productionSampleRate"]}
          onChange={configure.mutate}
        />
      ) : (
        <KeyValues
          items={[
            ["Grades conversations", grader.enabled ? "yes" : "no"],
            ["Counts for the verdict", grader.counts ? "yes" : "no"],
            ["Conversations", grader.scope === "both" ? "simulations and production" : grader.scope],
            ...(grader.scope === "simulations"
              ? []
              : [["Production sampled", formatPercent(grader.productionSampleRate)] as const]),
          ]}
        />
      )}
    </Card>
  );
}
