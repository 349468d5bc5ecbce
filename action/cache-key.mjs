// Names the cache of the installed packages: the same name means the same packages for the same kind of machine.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";

const { arch, env, platform } = process;
const locked = readFileSync(new URL("../package-lock.json", import.meta.url));
const digest = createHash("sha256").update(locked).digest("hex").slice(0, 32);
appendFileSync(env.GITHUB_OUTPUT, `key=svc-serving-${platform}-${arch}-${digest}\n`);
