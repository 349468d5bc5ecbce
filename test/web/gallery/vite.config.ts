import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds the gallery, which shows the components to specs and to people who change them. The gallery is not part of the product. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ["svc-source", "module", "browser", "production"] },
  build: { target: "es2023", modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: false },
});
