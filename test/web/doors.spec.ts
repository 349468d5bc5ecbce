import { describe, expect, test } from "vitest";
import { ownAddress, pageNames, tokenOf } from "../../packages/web/src/sign-in/enter.ts";

describe("the address after sign-in", () => {
  test.each([
    ["/account", "/account"],
    ["/o/org_1/p/front-desk/runs?status=done#top", "/o/org_1/p/front-desk/runs?status=done#top"],
    ["/a/../account", "/account"],
  ])("%s of this site is followed", (to, address) => {
    expect(ownAddress(to)).toBe(address);
  });

  test.each([
    undefined,
    "",
    "account",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
    "https://evil.example/account",
    "javascript:alert(1)",
  ])("%s is not followed", (to) => {
    expect(ownAddress(to)).toBeUndefined();
  });
});

describe("the words for an address", () => {
  test.each([
    ["/o/org_1/p/front-desk/runs/run_1/simulations/sim_1?turn=3", ["front-desk", "Runs"]],
    ["/o/org_1/p/front-desk", ["front-desk", "Overview"]],
    ["/o/org_1/p/front-desk?from=2026-01-01", ["front-desk", "Overview"]],
    ["/o/org_1/settings/members", ["Settings", "Members"]],
    ["/device?user_code=BDWP-HQPK", ["Sign in a device"]],
  ])("%s has a name", (address, names) => {
    expect(pageNames(address)).toEqual(names);
  });

  test("the home page has no name", () => {
    expect(pageNames("/")).toBeUndefined();
  });
});

describe("a pasted token", () => {
  test.each([
    "abc_DEF-123",
    " abc_DEF-123\n",
    "https://svc.example/invitation/abc_DEF-123",
    "https://svc.example/reset/abc_DEF-123/?utm=1",
  ])("%j gives the token", (text) => {
    expect(tokenOf(text)).toBe("abc_DEF-123");
  });
});
