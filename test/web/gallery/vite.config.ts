import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds the gallery of components for specs and for people who change a component; it is no part of the product. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ["svc-source", "module", "browser", "production"] },
  build: { target: "es2023", modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: false },
});
