import { z } from "zod";

/** Prefixes of the identifiers that the service mints, with what each names. */
export const ID_PREFIXES = {
  org: "organization",
  prj: "project",
  usr: "user",
  mbr: "membership",
  inv: "invitation",
  key: "API key",
  tst: "test",
  tstv: "test version",
  ste: "test suite",
  prs: "persona",
  prsv: "persona version",
  agt: "agent",
  con: "agent connection",
  mck: "mock tool",
  run: "run",
  sim: "simulation",
  grd: "grader",
  grdv: "grader version",
  gra: "grade",
  mns: "monitoring setup",
  mag: "monitored agent",
  rif: "import failure",
} as const;
/** One of the prefixes of `ID_PREFIXES`. */
export type IdPrefix = keyof typeof ID_PREFIXES;

const TAIL = "[0-9a-hjkmnp-tv-z]{26}";

/** The form of an id: prefix, underscore, 26 characters of lower-case Crockford base32; id order is mint order. */
export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_${TAIL}$`);

/** An id in an answer. */
export const id = (prefix: IdPrefix) =>
  z
    .string()
    .regex(idPattern(prefix))
    .meta({ description: `Id of the ${ID_PREFIXES[prefix]}.`, example: `${prefix}_06ft2v8xk3n9q4w7r1y5z0abcd` });

/** An id in a request: any text, because one that does not exist is answered as such. */
export const idInput = (prefix: IdPrefix) =>
  z
    .string()
    .min(1)
    .meta({ description: `Id of the ${ID_PREFIXES[prefix]} (\`${prefix}_…\`).` });

/** The form of an API key's secret: `svc_sk_` and 43 base64url characters (256 random bits). */
export const SECRET_PATTERN = /^svc_sk_[A-Za-z0-9_-]{43}$/;

/** Describes a date-time without the pattern by which it is checked, which is long and says nothing more. */
const asDateTime = ({ jsonSchema }: { jsonSchema: { pattern?: string } }) => {
  delete jsonSchema.pattern;
};

/** ISO 8601, UTC, milliseconds, `Z`. */
export const timestamp = () =>
  z.iso.datetime({ precision: 3 }).meta({
    description: "ISO 8601, UTC, milliseconds.",
    example: "2026-11-21T09:30:00.000Z",
    override: asDateTime,
  });

/** A time in a request: ISO 8601, with any offset. */
export const timestampInput = z.iso.datetime({ offset: true }).meta({ override: asDateTime });
