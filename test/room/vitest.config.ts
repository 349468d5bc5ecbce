// Plays calls in rooms of a real media server, with real workers: `npm run test:room`.
import type { ViteUserConfig } from "vitest/config";
import config from "../../vitest.config.ts";

const { projects: _, ...test } = config.test!;

const rooms: ViteUserConfig = {
  ...config,
  test: { ...test, include: ["test/room/**/*.room.ts"], testTimeout: 180_000, hookTimeout: 180_000, maxWorkers: 1 },
};

export default rooms;
