import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The package of this program. In the single-file build, it also says how the program was built. */
export type Package = {
  version: string;
  build?: { commit: string; committedAt: string; engines: Record<string, string> };
};

export const readPackage = (): Package =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Package;

const IS_SOURCE = import.meta.url.endsWith(".ts");
const SOURCE = IS_SOURCE ? "from its sources" : "from its npm package";

/**
 * Returns how users call this program: `svc` where it is installed. In a checkout, `npx svc` works only in the checkout's
 * folder. In any other folder, `npx` would run someone else's package of the same name, so the command is a path.
 */
export function commandLine(
  isSource: boolean = IS_SOURCE && readPackage().build === undefined,
  folder: string = process.cwd(),
): { place: string; command: string } {
  if (!isSource) return { place: "in a terminal", command: "svc" };
  const checkout = join(import.meta.dirname, "../../..");
  return relative(checkout, folder) === ""
    ? { place: "in this folder", command: "npx svc" }
    : { place: "in a terminal", command: join(checkout, "node_modules/.bin/svc") };
}

/** Returns the version, the build and the engines on one line. */
export function versionText({ version, build }: Package): string {
  const from = build !== undefined ? `commit ${build.commit} of ${build.committedAt}` : SOURCE;
  const engines = Object.entries(build?.engines ?? {}).map(([name, engine]) => `${name} ${engine}`);
  return [`svc/${version} ${process.platform}-${process.arch}`, from, `Node ${process.versions.node}`, ...engines].join(
    ", ",
  );
}
