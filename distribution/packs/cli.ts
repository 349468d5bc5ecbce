import { cpSync } from "node:fs";
import { join } from "node:path";
import { webFolder } from "@svc/web";
import { copyCompiled, writeIn } from "./compiled.ts";
import { foreignDependencies, manifestOf, publicManifest, type Manifest } from "./manifest.ts";

const INSIDE = ["contract", "sdk", "server", "web"];

/**
 * Writes the pack of the command line, with the service and its pages. The service's third-party packages are optional
 * dependencies: without them, all commands work except those that run the service or read its data folder. Returns the manifest.
 */
export async function stageCli(folder: string): Promise<Manifest> {
  cpSync("packages/cli/bin", join(folder, "bin"), { recursive: true });
  copyCompiled("cli", join(folder, "dist"));
  for (const name of INSIDE) {
    const inside = join(folder, "node_modules/@svc", name);
    const { version, type, exports } = publicManifest(manifestOf(name));
    writeIn(inside, "package.json", `${JSON.stringify({ name: `@svc/${name}`, version, type, exports }, null, 2)}\n`);
    if (name !== "web") copyCompiled(name, join(inside, "dist"));
  }
  cpSync("packages/server/migrations", join(folder, "node_modules/@svc/server/migrations"), { recursive: true });
  const web = join(folder, "node_modules/@svc/web");
  cpSync("packages/web/folder.js", join(web, "folder.js"));
  cpSync(await webFolder(), join(web, "dist"), { recursive: true });
  const dependencies = {
    ...foreignDependencies("cli"),
    ...foreignDependencies("contract"),
    ...foreignDependencies("sdk"),
  };
  const service = Object.entries(foreignDependencies("server")).filter(([name]) => !(name in dependencies));
  return {
    ...publicManifest(manifestOf("cli")),
    exports: { ".": { default: "./dist/index.js" } },
    dependencies: {
      ...dependencies,
      ...Object.fromEntries(INSIDE.map((name) => [`@svc/${name}`, manifestOf(name).version])),
    },
    optionalDependencies: Object.fromEntries(service),
    bundleDependencies: INSIDE.map((name) => `@svc/${name}`),
  };
}
