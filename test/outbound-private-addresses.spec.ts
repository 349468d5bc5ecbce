import { networkInterfaces } from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kindOfAddress } from "../packages/server/src/base/net/address-guard.ts";
import { exchange } from "../packages/server/src/base/net/outbound.ts";
import { bounds, faultOf, host } from "./support/outbound-host.ts";

describe("where private addresses are refused", () => {
  const refusing = { ...bounds, timeoutMs: 500, privateAddresses: "refuse" } as const;
  const [loopback, metadata] = [["private_address"], ["private_address", "forbidden_address"]];

  test.each([
    ["loopback", "127.0.0.1", "127.255.255.254", "localhost", "LOCALHOST", "[::1]", "[0:0:0:0:0:0:0:1]"],
    ["this host", "0.0.0.0", "0", "0.1.2.3", "[::]"],
    [
      "in odd forms",
      "127.1",
      "0x7f.1",
      "0177.0.0.1",
      "2130706433",
      "0x7f000001",
      "017700000001",
      "127.0.0.1.",
      "１２７.0.0.1",
    ],
    ["of a local network", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.1.1"],
    [
      "of a local IPv6 network",
      "[fc00::1]",
      "[fdff::1]",
      "[fe80::1]",
      "[fec0::1]",
      "[ff02::1]",
      "[64:ff9b:1::8.8.8.8]",
    ],
    [
      "for documents and measurements",
      "192.0.2.1",
      "198.18.0.1",
      "198.51.100.1",
      "203.0.113.1",
      "[2001:db8::1]",
      "[3fff::1]",
    ],
    [
      "that reach many hosts or none",
      "224.0.0.1",
      "240.0.0.1",
      "255.255.255.255",
      "[100::1]",
      "[5f00::1]",
      "[2001:2::1]",
    ],
    ["mapped", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[0:0:0:0:0:ffff:c0a8:101]"],
    ["compatible", "[::127.0.0.1]", "[::10.0.0.1]"],
    [
      "translated by NAT64 or 6to4",
      "[64:ff9b::7f00:1]",
      "[64:ff9b::10.0.0.1]",
      "[2002:7f00:1::]",
      "[2002:c0a8:101::1]",
    ],
    ["tunnelled", "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2606:4700::5efe:10.0.0.1]"],
  ])("an address %s is not called", async (_, ...addresses) => {
    for (const address of addresses) {
      const fault = await faultOf(exchange({ ...refusing, url: new URL(`http://${address}:9/`) }));
      expect(address.includes("169.254") || address.includes("fe80") ? metadata : loopback, address).toContain(fault);
    }
  });

  test("every form of every private IPv4 address is refused", async () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const ranges = [[10], [127], [192, 168], [172, 20], [100, 90], [0]];
    const form = fc.constantFrom("dotted", "hex", "octal", "number", "mapped", "nat64", "6to4");
    const drawn = fc.tuple(fc.constantFrom(...ranges), fc.tuple(octet, octet, octet), form);
    await fc.assert(
      fc.asyncProperty(drawn, async ([range, rest, written]) => {
        const bytes = [...range, ...rest].slice(0, 4);
        const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
        const hex = number.toString(16).padStart(8, "0");
        const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
        const host = {
          dotted: bytes.join("."),
          hex: `0x${hex}`,
          octal: bytes.map((byte) => `0${byte.toString(8)}`).join("."),
          number: String(number),
          mapped: `[::ffff:${groups}]`,
          nat64: `[64:ff9b::${groups}]`,
          "6to4": `[2002:${groups}::1]`,
        }[written];
        expect(await faultOf(exchange({ ...refusing, url: new URL(`http://${host}:9/`) })), host).toBe(
          "private_address",
        );
      }),
    );
  });

  test.each([
    [
      "8.8.8.8",
      "1.1.1.1",
      "172.32.0.1",
      "172.15.0.1",
      "100.128.0.1",
      "192.0.1.1",
      "11.0.0.1",
      "128.0.0.1",
      "223.255.255.255",
    ],
    ["2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2001:200::1"],
  ])("a public address such as %s is called", (...addresses) => {
    for (const address of addresses) expect(kindOfAddress(address), address).toBe("public");
  });

  test("this machine's own addresses are not called", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of own) expect(kindOfAddress(address), address).not.toBe("public");
  });

  test("an open and a closed port get the same answer, without a connection", async () => {
    let calls = 0;
    const open = await host((_, response) => void response.end(String(++calls)));
    const messageOf = (url: URL) => exchange({ ...refusing, url }).catch((error: Error) => error.message);
    expect(await messageOf(open)).toBe(await messageOf(new URL("http://127.0.0.1:9/")));
    expect(calls).toBe(0);
  });

  test("a connection that the operator's own call left open is not reused", async () => {
    let calls = 0;
    const url = await host((_, response) => void response.end(String(++calls)));
    const named = new URL(`http://localhost:${url.port}/`);
    await exchange({ ...bounds, url: named });
    expect(await faultOf(exchange({ ...refusing, url: named }))).toBe("private_address");
    expect(calls).toBe(1);
  });
});
