import type { Routes } from "../../http/operation.ts";
import { presentSample } from "./present.ts";
import type { SampleMaker } from "./sample.ts";

export function sampleRoutes(maker: SampleMaker): Routes<"sample"> {
  return {
    sample: {
      start: async ({ project, caller, http }) => {
        const { sample, isNew } = await maker.start(project, caller);
        if (!isNew) http.state.status = 200;
        return { sample: presentSample(sample) };
      },
    },
  };
}
