import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** In the single-file build, `package.json` also contains the commit and the engines of the build. */
export type Package = {
  version: string;
  build?: { commit: string; committedAt: string; engines: Record<string, string> };
};

export const readPackage = (): Package =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Package;

const IS_SOURCE = import.meta.url.endsWith(".ts");
const SOURCE = IS_SOURCE ? "from its sources" : "from its npm package";

/**
 * Users start an installed program with `svc`, and a checkout with `npx --no -- svc` in its folder. Elsewhere, npm finds no `svc`,
 * so the command is a path into the checkout.
 */
export function commandLine(
  isSource: boolean = IS_SOURCE && readPackage().build === undefined,
  folder: string = process.cwd(),
): { place: string; command: string } {
  if (!isSource) return { place: "in a terminal", command: "svc" };
  const checkout = join(import.meta.dirname, "../../..");
  return relative(checkout, folder) === ""
    ? { place: "in this folder", command: "npx --no -- svc" }
    : { place: "in a terminal", command: join(checkout, "node_modules/.bin/svc") };
}

export function versionText({ version, build }: Package): string {
  const from = build !== undefined ? `commit ${build.commit} of ${build.committedAt}` : SOURCE;
  const engines = Object.entries(build?.engines ?? {}).map(([name, engine]) => `${name} ${engine}`);
  return [`svc/${version} ${process.platform}-${process.arch}`, from, `Node ${process.versions.node}`, ...engines].join(
    ", ",
  );
}
