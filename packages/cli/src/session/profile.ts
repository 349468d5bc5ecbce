import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Refusal, usage } from "../refusal.ts";

export type Profile = {
  url: string;
  apiKey?: string;
  /** Key of one project that can only send spans. In older profiles, this key can do more. */
  projectApiKey?: string;
  project?: string;
};

const LARGEST_FILE_BYTES = 1024 * 1024;

const profileFolder = (): string =>
  process.env.SVC_CONFIG_DIR || join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "svc");

export const profileFile = (): string => join(profileFolder(), "profiles.json");

export function profileName(flag: string | undefined): string {
  const name = flag ?? (process.env.SVC_PROFILE || "default");
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    throw usage(
      "A profile's name has at most 64 letters, digits, dots, hyphens and underscores, and starts with a letter or digit.",
    );
  return name;
}

export async function readProfile(name: string): Promise<Profile | undefined> {
  const profiles = await readProfiles();
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

export const profileNames = async (): Promise<string[]> => Object.keys(await readProfiles());

export async function saveProfile(name: string, profile: Profile, path = profileFile()): Promise<void> {
  await writeProfiles({ ...(await readProfiles(path)), [name]: profile }, path);
}

export async function removeProfile(name: string): Promise<boolean> {
  const { [name]: removed, ...others } = await readProfiles();
  if (removed) await writeProfiles(others);
  return removed !== undefined;
}

/** Writes the file unchanged. Call it before a secret is created: it throws when the file cannot be written. */
export async function prepareProfiles(): Promise<void> {
  await writeProfiles(await readProfiles());
}

async function readProfiles(path = profileFile()): Promise<Record<string, Profile>> {
  const text = await readPrivately(path);
  if (text === undefined) return {};
  try {
    const { profiles } = JSON.parse(text) as { profiles: Record<string, Profile> };
    if (Object.values(profiles).every((profile) => typeof profile.url === "string")) return profiles;
  } catch {}
  throw new Refusal("profile_unreadable", `${path} does not hold profiles. Remove it, then run \`svc login\`.`);
}

/** Throws when other users can read the file. */
async function readPrivately(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await open(path, "r");
    const { mode, size } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new Refusal(
        "profile_exposed",
        `Other users can read your keys. Run \`chmod 600 ${path}\`, and consider replacing the keys.`,
      );
    }
    if (size > LARGEST_FILE_BYTES)
      throw new Refusal(
        "profile_unreadable",
        `${path} is too large to hold profiles. Remove it, then run \`svc login\`.`,
      );
    return await file.readFile("utf8");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Refusal(
      "profile_unreadable",
      `${path} cannot be read (${code}). Give yourself access to it, or set SVC_CONFIG_DIR to another folder.`,
    );
  } finally {
    await file?.close();
  }
}

async function writeProfiles(profiles: Record<string, Profile>, path = profileFile()): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ profiles }, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(
      "profile_unwritable",
      `${path} cannot be written (${code}). Give yourself access to its folder, or set SVC_CONFIG_DIR to another folder.`,
    );
  }
}
