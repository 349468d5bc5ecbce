import { join } from "node:path";

/** Returns the folder of the built pages, which the published package contains. */
export const webFolder = async () => join(import.meta.dirname, "dist");
