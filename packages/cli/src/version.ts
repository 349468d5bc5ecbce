import { readFileSync } from "node:fs";

/** The package of this program; the single file has a package that also says how it was built. */
export type Package = {
  version: string;
  build?: { commit: string; committedAt: string; engines: Record<string, string> };
};

export const readPackage = (): Package =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Package;

/** Returns the name of this program in texts for people. */
export const programName = (): string => (readPackage().build === undefined ? "npx svc" : "svc");

const SOURCE = import.meta.url.endsWith(".ts") ? "from its sources" : "from its npm package";

/** Returns the version, the build and the engines on one line. */
export function versionText({ version, build }: Package): string {
  const from = build !== undefined ? `commit ${build.commit} of ${build.committedAt}` : SOURCE;
  const engines = Object.entries(build?.engines ?? {}).map(([name, engine]) => `${name} ${engine}`);
  return [`svc/${version} ${process.platform}-${process.arch}`, from, `Node ${process.versions.node}`, ...engines].join(
    ", ",
  );
}
