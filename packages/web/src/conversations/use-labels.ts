import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";

type Label = { gradeId: string; verdict: "passed" | "failed" };

/** Returns a function that records the person's opinion of a grade, and the state of the last request. */
export function useLabels() {
  const { client, organizationId, projectId } = usePlace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (label: Label) => client.grades.label({ ...label, projectId }),
    onSuccess: () =>
      Promise.all(
        ["grades.ofTrace", "simulations.get"].map((operation) =>
          queries.invalidateQueries({ queryKey: [organizationId, projectId, operation] }),
        ),
      ),
  });
}
