/** Imports a module from disk. */
exports.start = (file: string) => import(require("node:url").pathToFileURL(file).href);
