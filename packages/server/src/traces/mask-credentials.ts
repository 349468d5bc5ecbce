import { MASKED_VALUE } from "@svc/contract/constants";
import type { Span } from "@svc/contract";

const namesIn = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Last parts of the names of attributes that contain credentials. */
const CREDENTIAL_NAMES = namesIn(`
  authorization proxyauthorization bearer bearertoken cookie setcookie jwt apikey apikeys xapikey xgoogapikey
  xiapikey subscriptionkey ocpapimsubscriptionkey password passwd pwd passphrase secret secretkey clientsecret
  apisecret appsecret accesstoken refreshtoken idtoken authtoken xauthtoken sessiontoken securitytoken
  xamzsecuritytoken csrftoken xcsrftoken accesskey secretaccesskey privatekey signingkey credential credentials
  connectionstring
`);

/**
 * An attribute whose name has one of these parts is always shown: it contains words, or arguments or results of tools.
 */
const CONTENT_NAMES = namesIn(`
  argument arguments args kwargs parameters params input inputs output outputs result results content contents
  text message messages transcript prompt prompts completion completions body
`);

/** A value is masked only when the whole value is a key. */
const KEY_FORMS = new RegExp(
  `^(?:Bearer )?(?:${[
    "svc_sk_[A-Za-z0-9_-]{43}",
    "sk-(?:proj-|ant-|svcacct-|or-|lf-)?[A-Za-z0-9_-]{32,}",
    "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "gsk_[A-Za-z0-9]{40,}",
    "hf_[A-Za-z0-9]{30,}",
    "AKIA[0-9A-Z]{16}",
    "AIza[A-Za-z0-9_-]{35}",
    "gh[pousr]_[A-Za-z0-9]{36,}",
    "github_pat_[A-Za-z0-9_]{22,}",
    "xox[abprs]-[A-Za-z0-9-]{10,}",
    "eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}",
  ].join("|")})$`,
);

export function maskCredentials(span: Span): Span {
  return {
    ...span,
    attributes: masked(span.attributes) as Span["attributes"],
    events: span.events.map((event) => ({ ...event, attributes: masked(event.attributes) as Span["attributes"] })),
    links: span.links.map(masked),
    resource: masked(span.resource) as Span["resource"],
  };
}

function masked(value: unknown): unknown {
  if (typeof value === "string") return KEY_FORMS.test(value) ? MASKED_VALUE : value;
  if (value === null || typeof value !== "object") return value;
  let isMasked = false;
  const noted = (before: unknown, after: unknown) => {
    isMasked ||= after !== before;
    return after;
  };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => noted(item, masked(item)));
    return isMasked ? items : value;
  }
  const members = Object.entries(value).map(([name, member]) => [name, noted(member, maskedMember(name, member))]);
  return isMasked ? Object.fromEntries(members) : value;
}

function maskedMember(name: string, member: unknown): unknown {
  const kind = kindOf(name);
  if (kind === "content") return member;
  return kind === "credential" && member !== null && member !== "" ? MASKED_VALUE : masked(member);
}

type NameKind = "content" | "credential" | "other";
/** Largest number of names whose kind is remembered. The spans of a conversation repeat the same few names. */
const KINDS_MAX = 4_096;
const NAME_CHARACTERS_MAX = 128;
const kinds = new Map<string, NameKind>();

function kindOf(name: string): NameKind {
  let kind = kinds.get(name);
  if (kind === undefined) {
    const parts = partsOf(name);
    if (parts.some((part) => CONTENT_NAMES.has(part))) kind = "content";
    else kind = CREDENTIAL_NAMES.has(parts.at(-1) ?? "") ? "credential" : "other";
    if (kinds.size >= KINDS_MAX) kinds.clear();
    if (name.length <= NAME_CHARACTERS_MAX) kinds.set(name, kind);
  }
  return kind;
}

/** Returns the parts of an attribute's name, without the index of a list item at its end. */
const partsOf = (name: string): string[] =>
  name
    .replace(/(?:\.\d+)+$/, "")
    .toLowerCase()
    .split(/[./]/)
    .map((part) => part.replaceAll(/[^a-z0-9]/g, ""));
