import type { ProviderKey } from "@svc/contract";
import type { z } from "zod";
import type { Schema } from "../../stores/schema.ts";

export type ProviderKeyRow = Schema["provider_keys"] & { hint: string };

export const presentKey = (row: ProviderKeyRow): z.infer<typeof ProviderKey> => ({
  provider: row.provider,
  hint: row.hint,
  region: row.region,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
