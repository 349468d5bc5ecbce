import react from "@vitejs/plugin-react";
import { defineConfig, type Rolldown } from "vite";

/** Chunks for modules that several pages import. A few large chunks need fewer requests at the first load than many small ones. */
const GROUPS: Rolldown.CodeSplittingGroup[] = [
  { name: "start", tags: ["$initial"], priority: 4 },
  {
    name: "lists",
    test: /node_modules\/(@tanstack\/(react-virtual|virtual-core)|diff)\//,
    minShareCount: 2,
    priority: 3,
  },
  { name: "libraries", test: /node_modules/, minShareCount: 2, priority: 2 },
  { name: "shared", test: /\/web\/src\/(ui\/|shell\/|[^/]+$)/, minShareCount: 2, priority: 2 },
  { name: "timeline", test: /\/web\/src\/conversations\//, minShareCount: 2, priority: 1 },
  { name: "runs", test: /\/web\/src\/runs\//, minShareCount: 2, priority: 1 },
  { name: "sign-in", test: /\/web\/src\/(sign-in|account|settings)\//, minShareCount: 2, priority: 1 },
  // The first page follows changes with the SDK, and needs no editor.
  { name: "sdk", test: /\/(contract|sdk)\/src\//, minShareCount: 2, priority: 1 },
  { name: "editors", minShareCount: 2 },
];

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["svc-source", "module", "browser", "production"] },
  build: {
    target: "es2023",
    // The content security policy forbids inline scripts and styles.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
});
