import type { Test } from "@svc/contract";
import type { z } from "zod";
import type { StoredRecord } from "../../stores/versioned-store.ts";
import type { VersionWithRecord } from "../../base/versions.ts";

export type TestContent = {
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: z.output<typeof Test>["mock_tools"];
};

/** Content of a test version. `persona_ids` are the ids of the personas that `personas` named at the time when the author sent the list. */
export type FrozenContent = TestContent & { persona_ids: string[] };

export type StoredTest = StoredRecord<"tests", FrozenContent>;

/** A version of a test. The test may be deleted. */
export type VersionOfTest = VersionWithRecord<StoredTest>;
