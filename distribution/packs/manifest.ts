import { readFileSync } from "node:fs";

/** The members of a package.json that this folder uses. */
export type Manifest = {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  exports: Record<string, Record<string, string>>;
  [member: string]: unknown;
};

/** Returns the package.json of one of this project's packages. */
export const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")) as Manifest;

/** Returns the third-party dependencies of one of this project's packages. */
export const foreignDependencies = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(manifestOf(name).dependencies ?? {}).filter(([one]) => !one.startsWith("@svc/")));

/**
 * Returns a manifest for the registry, without the paths of sources and without development dependencies. `SVC_REPOSITORY` is the
 * public address of the repository, which is needed to publish, because npm's provenance check compares it.
 */
export function publicManifest({ devDependencies: _, scripts: __, ...manifest }: Manifest): Manifest {
  const { SVC_REPOSITORY: url } = process.env;
  return {
    ...manifest,
    ...(url !== undefined && {
      repository: { type: "git", url, directory: `packages/${manifest.name.split("/")[1]}` },
    }),
    exports: Object.fromEntries(
      Object.entries(manifest.exports).map(([entry, { "svc-source": _, ...paths }]) => [entry, paths]),
    ),
    publishConfig: { access: "public", provenance: true },
  };
}
