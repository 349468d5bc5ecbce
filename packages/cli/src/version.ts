import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Members of the program's `package.json`. In the single-file build, it also contains the commit and the engines of the build. */
export type Package = {
  version: string;
  build?: { commit: string; committedAt: string; engines: Record<string, string> };
};

export const readPackage = (): Package =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Package;

const IS_SOURCE = import.meta.url.endsWith(".ts");
const SOURCE = IS_SOURCE ? "from its sources" : "from its npm package";

/**
 * Returns the command with which users start this program. It is `svc` for an installed program, and `npx --no -- svc` in the folder
 * of a checkout. Elsewhere, npm finds no `svc`, so the command is a path into the checkout.
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

/** Formats the version, the build and the engines on one line. */
export function versionText({ version, build }: Package): string {
  const from = build !== undefined ? `commit ${build.commit} of ${build.committedAt}` : SOURCE;
  const engines = Object.entries(build?.engines ?? {}).map(([name, engine]) => `${name} ${engine}`);
  return [`svc/${version} ${process.platform}-${process.arch}`, from, `Node ${process.versions.node}`, ...engines].join(
    ", ",
  );
}
