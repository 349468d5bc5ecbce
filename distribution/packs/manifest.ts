import { readFileSync } from "node:fs";

/** The members of a package.json that the packs use. */
export type Manifest = {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  exports: Record<string, Record<string, string>>;
  [member: string]: unknown;
};

/** Returns the manifest of one of our packages. */
export const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")) as Manifest;

/** Returns the dependencies of one of our packages that are not ours. */
export const foreignDependencies = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(manifestOf(name).dependencies ?? {}).filter(([one]) => !one.startsWith("@svc/")));

/**
 * Returns a manifest for the registry: without the paths of sources and without development dependencies. `SVC_REPOSITORY`, the
 * public address of the repository, is set when the packages are published, because npm's provenance compares it.
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
