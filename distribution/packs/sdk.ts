import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { copyDeclarations } from "./compiled.ts";
import { manifestOf, foreignDependencies, publicManifest, type Manifest } from "./manifest.ts";

/**
 * Writes the modules and types of the SDK, with the parts of the contract that it uses and with ky. If ky were a dependency, npm
 * would ask for a newer Node than the SDK needs, although ky runs on the SDK's Node. Returns the manifest.
 */
export async function stageSdk(folder: string): Promise<Manifest> {
  const dist = join(folder, "dist");
  const bundle = await rolldown({
    input: { index: "packages/sdk/src/index.ts", vitest: "packages/sdk/src/vitest.ts" },
    resolve: { conditionNames: ["svc-source", "import", "default"] },
    external: ["vitest", "node:module"],
    platform: "neutral",
    // Only the entry modules do anything when they are loaded, so unused modules can be left out.
    treeshake: { moduleSideEffects: false },
  });
  // Bundlers cannot remove the code of ky. In its own module, programs that use no client can leave ky out.
  const codeSplitting = { groups: [{ name: "ky", test: /node_modules\/ky\// }] };
  await bundle.write({ dir: dist, format: "esm", chunkFileNames: "[name].js", codeSplitting });
  await bundle.close();
  copyFileSync("node_modules/ky/license", join(folder, "LICENSE-ky"));
  copyDeclarations(["packages/sdk/dist/index.d.ts", "packages/sdk/dist/vitest.d.ts"], dist);
  // The types of inputs and answers come from the contract's schemas, which need zod's types.
  const { zod } = foreignDependencies("contract");
  return { ...publicManifest(manifestOf("sdk")), dependencies: { zod: `^${zod}` } };
}
