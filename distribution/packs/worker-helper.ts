import { join } from "node:path";
import { copyCompiled, copyDeclarations } from "./compiled.ts";
import { manifestOf, publicManifest, type Manifest } from "./manifest.ts";

/** Writes the modules and types of the worker helper. Returns its manifest. */
export function stageWorkerHelper(folder: string): Manifest {
  copyCompiled("worker-helper", join(folder, "dist"));
  copyDeclarations(["packages/worker-helper/dist/index.d.ts"], join(folder, "dist"));
  return publicManifest(manifestOf("worker-helper"));
}
