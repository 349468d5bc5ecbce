import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { copyDeclarations } from "./compiled.ts";
import { manifestOf, foreignDependencies, publicManifest, type Manifest } from "./manifest.ts";

/**
 * Writes the modules and types of the SDK. The parts of the contract that it uses are inside, and so is ky: the newest one asks npm for
 * a newer Node than the SDK does, and runs on the SDK's. Returns the manifest.
 */
export async function stageSdk(folder: string): Promise<Manifest> {
  const dist = join(folder, "dist");
  const bundle = await rolldown({
    input: { index: "packages/sdk/src/index.ts", vitest: "packages/sdk/src/vitest.ts" },
    resolve: { conditionNames: ["svc-source", "import", "default"] },
    external: ["vitest", "node:module"],
    platform: "neutral",
    // No module but the entries does anything when it loads, so that an unused one is left out.
    treeshake: { moduleSideEffects: false },
  });
  // ky has code that no program drops, so that it is a module of its own: programs without a client leave it out.
  const codeSplitting = { groups: [{ name: "ky", test: /node_modules\/ky\// }] };
  await bundle.write({ dir: dist, format: "esm", chunkFileNames: "[name].js", codeSplitting });
  await bundle.close();
  copyFileSync("node_modules/ky/license", join(folder, "LICENSE-ky"));
  copyDeclarations(["packages/sdk/dist/index.d.ts", "packages/sdk/dist/vitest.d.ts"], dist);
  // The types of inputs and answers are those of the contract's schemas.
  const { zod } = foreignDependencies("contract");
  return { ...publicManifest(manifestOf("sdk")), dependencies: { zod: `^${zod}` } };
}
