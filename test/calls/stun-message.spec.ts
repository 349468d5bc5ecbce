import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  ATTRIBUTE,
  type Attribute,
  MESSAGE,
  readStunMessage,
  readXorEndpoint,
  writeStunMessage,
  writeXorEndpoint,
} from "../../packages/server/src/voice/calls/lines/room/stun-message.ts";

describe("messages of STUN", () => {
  /** Sample messages from RFC 5769, sections 2.1 to 2.3. */
  const PASSWORD = Buffer.from("VOkJxbRl1RmTxUk/WvJxBt");
  const REQUEST = `
    00 01 00 58 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 10 53 54 55 4e 20 74 65 73 74 20 63 6c
    69 65 6e 74 00 24 00 04 6e 00 01 ff 80 29 00 08 93 2f f9 b1 51 26 3b 36 00 06 00 09 65 76 74 6a 3a 68 36 76
    59 20 20 20 00 08 00 14 9a ea a7 0c bf d8 cb 56 78 1e f2 b5 b2 d3 f2 49 c1 b5 71 a2 80 28 00 04 e5 7a 3b cf`;
  const IPV4 = `
    01 01 00 3c 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
    00 20 00 08 00 01 a1 47 e1 12 a6 43 00 08 00 14 2b 91 f5 99 fd 9e 90 c3 8c 74 89 f9 2a f9 ba 53 f0 6b e7 d7
    80 28 00 04 c0 7d 4c 96`;
  const IPV6 = `
    01 01 00 48 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
    00 20 00 14 00 02 a1 47 01 13 a9 fa a5 d3 f1 79 bc 25 f4 b5 be d2 b9 d9 00 08 00 14 a3 82 95 4e 4b e6 7b f1
    17 84 c9 7c 82 92 c2 75 bf e3 ed 41 80 28 00 04 c8 fb 0b 4c`;
  const bytesOf = (sample: string) => Buffer.from(sample.replaceAll(/\s/g, ""), "hex");

  test("the request of RFC 5769 has its user name and its signature", () => {
    const message = readStunMessage(bytesOf(REQUEST))!;
    expect(message.attribute(ATTRIBUTE.username)!.toString()).toBe("evtj:h6vY");
    expect(message.isSignedWith(PASSWORD)).toBe(true);
    expect(message.isSignedWith(Buffer.from("another"))).toBe(false);
  });

  test.each([
    ["IPv4", IPV4, "192.0.2.1"],
    ["IPv6", IPV6, "2001:db8:1234:5678:11:2233:4455:6677"],
  ])("the answer of RFC 5769 over %s has its endpoint and its signature", (_name, sample, address) => {
    const message = readStunMessage(bytesOf(sample))!;
    const value = message.attribute(ATTRIBUTE.xorMappedAddress)!;
    expect(readXorEndpoint(value, message.transactionId)).toEqual({ address, port: 32_853 });
    expect(writeXorEndpoint({ address, port: 32_853 }, message.transactionId)).toEqual(value);
    expect(message.isSignedWith(PASSWORD)).toBe(true);
  });

  test("a written message is read with the same attributes and signature", () => {
    const key = randomBytes(16);
    const attributes: Attribute[] = [[ATTRIBUTE.realm, Buffer.from("abcde")]];
    const message = readStunMessage(writeStunMessage(MESSAGE.allocate, randomBytes(12), attributes, key))!;
    expect(message.attribute(ATTRIBUTE.realm)!.toString()).toBe("abcde");
    expect(message.isSignedWith(key)).toBe(true);
  });

  test("no bytes make the reader throw or read behind their end", () => {
    const sample = bytesOf(REQUEST);
    for (let at = 0; at < sample.length; at++) {
      readStunMessage(sample.subarray(0, at));
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(sample);
        changed[at] = value;
        const message = readStunMessage(changed);
        message?.isSignedWith(PASSWORD);
        if (message) readXorEndpoint(message.attribute(ATTRIBUTE.username), message.transactionId);
      }
    }
    expect(readStunMessage(Buffer.alloc(0))).toBeUndefined();
    expect(readStunMessage(Buffer.from("GET / HTTP/1.1\r\n\r\n    "))).toBeUndefined();
  });
});
