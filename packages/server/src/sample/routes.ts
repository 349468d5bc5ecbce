import { notFound } from "../errors.ts";
import type { Routes } from "../http/operation.ts";
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

      get: async ({ project }) => {
        const sample = await maker.find(project.id);
        return { sample: sample ? presentSample(sample) : null };
      },

      remove: async ({ project }) => {
        if (!(await maker.remove(project.id))) throw notFound();
      },
    },
  };
}
