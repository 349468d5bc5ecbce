import { join } from "node:path";

/** Returns the folder of the built pages. The published package contains the folder. */
export const webFolder = async () => join(import.meta.dirname, "dist");
