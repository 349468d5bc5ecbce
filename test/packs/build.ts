import { execFileSync } from "node:child_process";

/** Builds the packages before the first spec. */
export default function setup(): void {
  execFileSync("npm", ["run", "build:packs"], { stdio: "inherit" });
}
