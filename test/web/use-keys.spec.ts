import { expect, test } from "vitest";
import { nameOfKey } from "../../packages/web/src/ui/use-keys.ts";

const key = (key: string, held: { ctrlKey?: boolean; metaKey?: boolean; altKey?: boolean } = {}) =>
  nameOfKey({ key, ctrlKey: false, metaKey: false, altKey: false, ...held } as unknown as Parameters<
    typeof nameOfKey
  >[0]);

test("a pressed key has one name on every keyboard", () => {
  expect(key("k", { metaKey: true })).toBe("mod+k");
  expect(key("K", { ctrlKey: true })).toBe("mod+k");
  expect(key("Enter", { ctrlKey: true })).toBe("mod+Enter");
  expect(key("ArrowUp", { altKey: true })).toBe("alt+ArrowUp");
  expect(key("?")).toBe("?");
});
