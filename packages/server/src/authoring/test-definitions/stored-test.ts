import type { Test } from "@svc/contract";
import type { z } from "zod";
import type { StoredRecord } from "../../stores/versioned-store.ts";
import type { VersionWithRecord } from "../../base/versions.ts";

/** The content of a test as clients send it. */
export type TestContent = {
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: z.output<typeof Test>["mock_tools"];
};

/**
 * The content that a version freezes; `persona_ids` are the personas that had the names when the author sent the list.
 */
export type FrozenContent = TestContent & { persona_ids: string[] };

export type StoredTest = StoredRecord<"tests", FrozenContent>;

/** A version with its test, which may be deleted. */
export type VersionOfTest = VersionWithRecord<StoredTest>;
