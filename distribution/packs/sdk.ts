import { join } from "node:path";
import { rolldown } from "rolldown";
import { copyDeclarations } from "./compiled.ts";
import { manifestOf, foreignDependencies, publicManifest, type Manifest } from "./manifest.ts";

/** Writes the modules and types of the SDK; the parts of the contract that it uses are inside. Returns its manifest. */
export async function stageSdk(folder: string): Promise<Manifest> {
  const dist = join(folder, "dist");
  const bundle = await rolldown({
    input: { index: "packages/sdk/src/index.ts", vitest: "packages/sdk/src/vitest.ts" },
    resolve: { conditionNames: ["svc-source", "import", "default"] },
    external: ["vitest"],
    platform: "neutral",
    // No module but the entries does anything when it loads, so that an unused one is left out.
    treeshake: { moduleSideEffects: false },
  });
  await bundle.write({ dir: dist, format: "esm", chunkFileNames: "[name].js" });
  await bundle.close();
  copyDeclarations(["packages/sdk/dist/index.d.ts", "packages/sdk/dist/vitest.d.ts"], dist);
  // The types of inputs and answers are those of the contract's schemas.
  const { zod } = foreignDependencies("contract");
  return { ...publicManifest(manifestOf("sdk")), dependencies: { zod: `^${zod}` } };
}
