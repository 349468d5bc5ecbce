import { z } from "zod";

/** Prefixes of the ids that the service creates, with the kind of resource that each prefix marks. */
export const ID_PREFIXES = {
  org: "organization",
  prj: "project",
  usr: "user",
  mbr: "membership",
  inv: "invitation",
  ses: "session",
  dev: "sign-in of a device",
  psk: "passkey",
  key: "API key",
  tst: "test",
  tstv: "test version",
  ste: "test suite",
  prs: "persona",
  prsv: "persona version",
  agt: "agent",
  con: "agent connection",
  trk: "trunk",
  mck: "mock tool",
  run: "run",
  sch: "schedule",
  sim: "simulation",
  grd: "grader",
  grdv: "grader version",
  gra: "grade",
  mns: "monitoring setup",
  mag: "monitored agent",
  rif: "import failure",
  aud: "line of the audit",
  evt: "event",
  dst: "destination",
  dlv: "delivery",
  alr: "alert rule",
  alt: "alert",
  rvi: "review item",
  grp: "failure group",
  viw: "saved view",
} as const;
/** Prefix of an id. */
export type IdPrefix = keyof typeof ID_PREFIXES;

const TAIL = "[0-9a-hjkmnp-tv-z]{26}";

/**
 * Returns the pattern of an id: the prefix, an underscore and 26 characters of lower-case Crockford base32. The order of ids is the
 * order of their creation.
 */
export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_${TAIL}$`);

/** Returns the schema of an id in a response. */
export const id = (prefix: IdPrefix) =>
  z
    .string()
    .regex(idPattern(prefix))
    .meta({ description: `Id of the ${ID_PREFIXES[prefix]}.`, example: `${prefix}_06ft2v8xk3n9q4w7r1y5z0abcd` });

/** Returns the schema of an id in a request. It accepts any text, because a malformed id gets the same 404 as an unknown id. */
export const idInput = (prefix: IdPrefix) =>
  z
    .string()
    .min(1)
    .meta({ description: `Id of the ${ID_PREFIXES[prefix]} (\`${prefix}_…\`).` });

/** Pattern of an API key's secret: `svc_sk_` and 43 base64url characters (256 random bits). */
export const SECRET_PATTERN = /^svc_sk_[A-Za-z0-9_-]{43}$/;

/** Removes zod's long pattern from the JSON Schema, because `format: date-time` is enough. */
const asDateTime = ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => {
  delete jsonSchema.pattern;
};

/** Returns the schema of a time in a response: ISO 8601, UTC, with milliseconds and `Z`. */
export const timestamp = () =>
  z.iso.datetime({ precision: 3 }).meta({
    description: "ISO 8601 time in UTC, with milliseconds.",
    example: "2026-11-21T09:30:00.000Z",
    override: asDateTime,
  });

/** Schema of a time in a request: ISO 8601 with any offset. */
export const timestampInput = z.iso.datetime({ offset: true }).meta({ override: asDateTime });
