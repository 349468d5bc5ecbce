import { existsSync, globSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A PostgreSQL for the specs: the address of a running database, the folder of an installed server, or what is missing. */
type PostgresForSpecs = { url: string } | InstalledPostgres | { missing: string };

/** The folder of a server's programs, and the user who must run them if this process runs as root. */
export type InstalledPostgres = { programs: string; user: SystemUser | undefined };

/** A user of this machine who is not root. */
type SystemUser = { uid: number; gid: number };

export function findPostgres(): PostgresForSpecs {
  const url = process.env.SVC_TEST_DATABASE_URL;
  if (url !== undefined && url !== "") return { url };
  const programs = findPrograms();
  if (programs === undefined)
    return { missing: "PostgreSQL is not installed, and SVC_TEST_DATABASE_URL names no database" };
  if (process.getuid?.() !== 0) return { programs, user: undefined };
  const user = findUser("postgres") ?? findUser("nobody");
  return user === undefined
    ? { missing: "PostgreSQL does not run as root, and no other user is known" }
    : { programs, user };
}

/** Returns the folder of the newest installed server. */
function findPrograms(): string | undefined {
  const versionOf = (folder: string) => Number(folder.split("/").at(-2));
  const debian = globSync("/usr/lib/postgresql/*/bin").sort((one, other) => versionOf(other) - versionOf(one));
  const folders = [...debian, ...(process.env.PATH ?? "").split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

function findUser(name: string): SystemUser | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
