/** One page of the objects of a bucket. */
type S3Listing = {
  objects: { key: string; modifiedAtMs: number }[];
  /** Names the next page; undefined on the last page. */
  continuation: string | undefined;
};

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Reads an answer of ListObjectsV2. */
export function readListing(xml: string): S3Listing {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, object]) => {
    const [key, modified] = [textOf(object!, "Key"), textOf(object!, "LastModified")];
    const modifiedAtMs = Date.parse(modified ?? "");
    return key === undefined || Number.isNaN(modifiedAtMs) ? [] : [{ key, modifiedAtMs }];
  });
  const isTruncated = textOf(xml, "IsTruncated") === "true";
  return { objects, continuation: isTruncated ? textOf(xml, "NextContinuationToken") : undefined };
}

const textOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`)
    .exec(xml)?.[1]
    ?.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity]!);
