import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { useToast } from "../ui/toast.tsx";
import { simulationQuery } from "./queries.ts";

/** Returns the request that grades a simulation again. */
export function useRegrade() {
  const place = usePlace();
  const cache = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (simulationId: string) =>
      place.client.simulations.regrade({ simulationId, projectId: place.projectId }),
    onSuccess: ({ simulation }) => {
      cache.setQueryData(simulationQuery(place, simulation.id).queryKey, simulation);
      toast("The service grades the simulation again.");
    },
  });
}

export type Regrade = ReturnType<typeof useRegrade>;
