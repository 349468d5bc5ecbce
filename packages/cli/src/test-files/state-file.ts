import { access, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { usage } from "../refusal.ts";
import { readFault } from "../terminal/file-fault.ts";
import type { Session } from "../session/session.ts";
import { idOf } from "../look-up.ts";
import { writeText } from "./folder.ts";

/** State of a test at the last pull or push of its file. */
export type KnownTest = { id: string; version_id: string; name: string; tags: string[] };

/** States of the tests of one project at one service, by the paths of the files. */
export type FilesState = {
  of(path: string): KnownTest | undefined;
  /** Returns the newest entry for a test, regardless of the file; undefined without one. */
  ofTest(testId: string): KnownTest | undefined;
  record(path: string, known: KnownTest): void;
  paths(): string[];
  keepOnly(isThere: (path: string) => boolean): void;
  /** Writes the state file when an entry has changed. */
  save(): Promise<void>;
};

const FOLDER = ".svc";
const NAME = "tests.json";

type Content = { version: 1; services: Record<string, Record<string, KnownTest>> };

/**
 * Opens the state file `.svc/tests.json`. It is in the nearest folder, from the tests' folder upwards, that contains a state file or
 * `.git`. Without such a folder below the home folder, it is in the tests' folder. `save` creates a missing file.
 *
 * Users may commit the file or ignore it. Without the file, tests are found by their names.
 */
export async function openFilesState(testsFolder: string, session: Session): Promise<FilesState> {
  const base = await baseFolder(resolve(testsFolder));
  const path = join(base, FOLDER, NAME);
  const content = await readContent(path);
  const key = `${session.url} ${await projectIdOf(session)}`;
  const entries = new Map(Object.entries(content.services[key] ?? {}));
  const before = JSON.stringify([...entries]);
  const placeOf = (file: string) => relative(base, resolve(file)).split(sep).join("/");

  return {
    of: (file) => entries.get(placeOf(file)),
    ofTest: (testId) => [...entries.values()].findLast(({ id }) => id === testId),
    record(file, { id, version_id, name, tags }) {
      for (const [place, known] of entries) if (known.id === id && place !== placeOf(file)) entries.delete(place);
      entries.set(placeOf(file), { id, version_id, name, tags });
    },
    paths: () => [...entries.keys()].map((place) => join(base, place)),
    keepOnly(isThere) {
      for (const place of entries.keys()) if (!isThere(join(base, place))) entries.delete(place);
    },
    async save() {
      if (JSON.stringify([...entries]) === before) return;
      const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
      const services = { ...content.services, [key]: Object.fromEntries(sorted) };
      await writeText(path, `${JSON.stringify({ version: 1, services } satisfies Content, null, 2)}\n`);
    },
  };
}

/** The call of an assistant contains the versions on which its files are based. */
export function stateOfSent(entries: ReadonlyMap<string, KnownTest>): FilesState {
  return {
    of: (path) => entries.get(path),
    ofTest: (testId) => [...entries.values()].find(({ id }) => id === testId),
    record: () => undefined,
    paths: () => [],
    keepOnly: () => undefined,
    save: async () => undefined,
  };
}

async function baseFolder(testsFolder: string): Promise<string> {
  for (let folder = testsFolder; folder !== homedir(); folder = dirname(folder)) {
    if ((await exists(join(folder, FOLDER, NAME))) || (await exists(join(folder, ".git")))) return folder;
    if (folder === dirname(folder)) break;
  }
  return testsFolder;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function readContent(path: string): Promise<Content> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw usage(`${path} ${readFault(error)}. Make it readable, or delete it.`);
  });
  if (text === undefined) return { version: 1, services: {} };
  const content = parsed(text);
  if (content?.version === 1 && typeof content.services === "object") return content;
  throw usage(`${path} is not what this program wrote. Restore it, or delete it: tests are then found by their names.`);
}

function parsed(text: string): Content | undefined {
  try {
    return JSON.parse(text) as Content;
  } catch {
    return undefined;
  }
}

/** Throws when the key can see several projects and none is chosen. */
async function projectIdOf(session: Session): Promise<string> {
  const { client, projectId } = session;
  const { project } = (await client.identity.get()).identity;
  if (project !== null) return project.id;
  if (projectId !== undefined) return idOf(session, "project", projectId);
  const { projects } = await client.projects.list({ pageSize: 2 });
  if (projects.length === 1) return projects[0]!.id;
  throw usage(
    "Your key does not determine one project. Choose a project from `svc projects list` with --project or SVC_PROJECT.",
  );
}
