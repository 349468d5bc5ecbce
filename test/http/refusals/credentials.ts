import { allOperations } from "@svc/contract";
import { newSecret } from "../../support/secret.ts";
import { bareAsk, type Row, takingCredentials } from "./row.ts";

const UNSAFE = new Set(["POST", "PUT", "PATCH", "DELETE"]);

const notAuthenticated: Row[] = takingCredentials.flatMap(({ name, operation: op }) => {
  const row = (what: string, ask: (w: Parameters<Row["ask"]>[0]) => object): Row => ({
    name: `${name} ${what}`,
    code: "not_authenticated",
    ask: (w) => ({ ...bareAsk(op), ...ask(w) }),
  });
  const authorization = (value: string) => () => ({ headers: { authorization: value } });
  return [
    row("without a credential", () => ({})),
    row("with a bearer that is no key", authorization("Bearer nonsense")),
    row("with an empty bearer", authorization("Bearer ")),
    row("with a bearer token in the form of a key that does not exist", () => ({ key: newSecret() })),
    row("with another scheme than bearer", authorization(`Basic ${Buffer.from("admin:admin").toString("base64")}`)),
    row("with a revoked key", (w) => ({ key: w.revokedKey })),
    row("with the key of a removed member", (w) => ({ key: w.removed.key })),
    row("with a bad bearer next to a good cookie", (w) => ({ key: newSecret(), cookie: w.adminCookie })),
    row("with a cookie of no session", () => ({ cookie: "svc.session_token=nobody.nothing" })),
  ];
});

const otherKindOfCredential: Row[] = takingCredentials.flatMap(({ name, operation: op }): Row[] => {
  if (op.credential === "bearer") {
    return [
      {
        name: `${name} with a session`,
        code: "not_authenticated",
        ask: (w) => ({ ...bareAsk(op), cookie: w.adminCookie }),
      },
    ];
  }
  if (op.credential !== "session") return [];
  return [{ name: `${name} with a key`, code: "not_authenticated", ask: (w) => ({ ...bareAsk(op), key: w.adminKey }) }];
});

const otherOrigin: Row[] = allOperations
  .filter(
    ({ name, operation: op }) => UNSAFE.has(op.method) && (op.credential === "any" || name === "accounts.signOut"),
  )
  .flatMap(({ name, operation: op }) =>
    [undefined, "null", "https://elsewhere.test", "nonsense"].map((origin) => ({
      name: `${name} with a session and ${origin === undefined ? "no origin" : `the origin ${origin}`}`,
      code: "not_permitted" as const,
      ask: (w) => ({ ...bareAsk(op), headers: { cookie: w.adminCookie, ...(origin !== undefined && { origin }) } }),
    })),
  );

const lackingPermission: Row[] = takingCredentials.flatMap(({ name, operation: op }) => {
  const row = (what: string, key: (w: Parameters<Row["ask"]>[0]) => string): Row => ({
    name: `${name} with ${what}`,
    code: "not_permitted",
    ask: (w) => ({ ...bareAsk(op), key: key(w) }),
  });
  if (op.credential === "session") return [];
  const isForAdmins = op.permission === "oversee" || op.permission === "manage";
  return [
    ...(["test", "write", "oversee", "manage", "ingest"].includes(op.permission!)
      ? [row("a viewer's key", (w) => w.viewer.key)]
      : []),
    ...(isForAdmins ? [row("a member's key", (w) => w.member.key)] : []),
    ...(isForAdmins ? [row("an admin's project key", (w) => w.projectKey)] : []),
    ...(op.permission === "ingest" ? [row("an organization-wide key", (w) => w.adminKey)] : []),
    ...(op.permission === "ingest" ? [row("a viewer's project key", (w) => w.viewerProjectKey)] : []),
  ];
});

const ofPeople: Row[] = [
  {
    name: "signing in with a wrong password",
    code: "not_authenticated",
    ask: (w) => ({
      method: "POST",
      path: "/api/auth/sign-in/email",
      json: { email: w.member.email, password: "not the password" },
    }),
  },
  {
    name: "signing in with an unknown address",
    code: "not_authenticated",
    ask: () => ({
      method: "POST",
      path: "/api/auth/sign-in/email",
      json: { email: "nobody@acme.test", password: "not the password" },
    }),
  },
  {
    name: "signing up with an unknown invitation",
    code: "not_permitted",
    ask: () => ({
      method: "POST",
      path: "/api/auth/sign-up/email",
      json: { name: "x", email: "x@acme.test", password: "long enough text", invitation_token: "nonsense" },
    }),
  },
  {
    name: "creating a key with a project key that does not name its project",
    code: "not_permitted",
    ask: (w) => ({ method: "POST", path: "/api/keys", key: w.projectKey, json: {} }),
  },
  {
    name: "creating a key of another project with a project key",
    code: "not_permitted",
    ask: (w) => ({ method: "POST", path: "/api/keys", key: w.projectKey, json: { project_id: w.otherProject.id } }),
  },
];

export const credentials: Row[] = [
  ...notAuthenticated,
  ...otherKindOfCredential,
  ...otherOrigin,
  ...lackingPermission,
  ...ofPeople,
];
