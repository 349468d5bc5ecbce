import { allowedNumberProblem, allowsNumber, phoneNumberProblem, trunkAddressProblem } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("a telephone number", () => {
  test.each([
    "",
    "+",
    "493012345678",
    "00493012345678",
    "+00493012345678",
    "+0493012345678",
    "011493012345678",
    "+49 30 12345678",
    "+49-30-12345678",
    "+49(30)12345678",
    "+4930123456789012",
    "+49301234567;ext=5",
    "+4930123456;phone-context=+1",
    "+493012345678@evil.example.com",
    "+493012345678@127.0.0.1:5060;transport=tcp",
    "+493012345678>",
    "+493012345678?Route=%3Csip:x@y%3E",
    "+4930%31%31%32",
    "+493012345678\r\nX-Evil: yes",
    "+493012345678\n",
    "\n+493012345678",
    "+493012345678 ",
    "+493012345678,112",
    "+493012345678w112",
    "+49301234567A",
    "+1800FLOWERS",
    "+４９３０１２３４５６７８",
    "+٤٩٣٠١٢٣٤٥٦",
    "sip:+493012345678",
    "tel:+493012345678",
    "*#06#",
    "+*",
  ])("%j is refused as a number and is in no allow-list", (text) => {
    expect(phoneNumberProblem(text)).toMatch(/E\.164/);
    expect(allowedNumberProblem(text)).toBeDefined();
  });

  test.each([
    "112",
    "110",
    "911",
    "999",
    "000",
    "+112",
    "+911",
    "+49112",
    "+49110",
    "+44999",
    "+1911",
    "+61000",
    "+390",
  ])("%s is refused as a short number", (text) => {
    expect(phoneNumberProblem(text)).toMatch(/^Emergency numbers and other short numbers are never called\./);
    expect(allowedNumberProblem(text)).toMatch(/never called/);
  });

  test.each([
    "+19110000000",
    "+14110000000",
    "+19880000000",
    "+49112345678",
    "+491101234",
    "+449991234",
    "+4418000123",
    "+610001234",
    "+49116117",
    "+44116123",
    "+358116111",
    "+19005550123",
    "+12129765555",
    "+449098790000",
    "+448712345678",
    "+448451234567",
    "+497001234567",
    "+3270123456",
    "+491151234",
    "+447012345678",
    "+499001234567",
    "+491371234567",
    "+4911833",
    "+33899123456",
    "+34806123456",
    "+39899123456",
    "+31900123456",
    "+41900123456",
    "+43900123456",
    "+3290012345",
    "+61190012345",
    "+9791234567",
    "+881612345678",
    "+870123456789",
    "+882123456789",
    // With the prefix of calls to other countries, or the 0 of calls inside the country.
    "+1011493012345",
    "+490900123456",
    "+440909879000",
    "+49011234567",
  ])("%s is never called, even with an allow-list that has it", (text) => {
    expect(phoneNumberProblem(text)).toMatch(/^The service never calls /);
    expect(allowedNumberProblem(text)).toMatch(/^The service never calls /);
  });

  test.each([
    "+493012345678",
    "+12025550123",
    "+442079460000",
    "+447700900123",
    "+33140205050",
    "+390612345678",
    "+911123456789",
    "+3292123456",
  ])("%s may be called when an allow-list has it", (text) => {
    expect(phoneNumberProblem(text)).toBeUndefined();
    expect(allowedNumberProblem(text)).toBeUndefined();
    expect(allowsNumber([text], text)).toBe(true);
    expect(allowsNumber([`${text.slice(0, 5)}*`], text)).toBe(true);
  });
});

describe("an allow-list", () => {
  test("an empty allow-list has no number", () => {
    expect(allowsNumber([], "+493012345678")).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !allowsNumber([], text)));
  });

  test.each([
    ["+4930*", "+493012345678", true],
    ["+4930*", "+494012345678", false],
    ["+4930*", "+49301", true],
    ["+49*", "+493012345678", true],
    // A number is not the beginning of other numbers.
    ["+4930123456", "+493012345678", false],
    ["+493012345678", "+4930123456", false],
    ["+493012345678", "+493012345678", true],
    // A shorter country code is not part of a longer one.
    ["+4930*", "+49", false],
    ["+1202*", "+12125550123", false],
  ])("%s with %s: %s", (entry, number, isAllowed) => {
    expect(allowsNumber([entry], number)).toBe(isAllowed);
  });

  test.each([
    "*",
    "+*",
    "+0*",
    "49*",
    "0049*",
    "+49**",
    "+49*30",
    "+49 30*",
    "+49?",
    "+49.*",
    "^\\+49",
    "+49x*",
    "+49*\r\n",
    "+493012345678901*",
    "+1900*",
    "+49900*",
    "+49112*",
    "+979*",
    "+490*",
    "+1011*",
  ])("%j is refused as an entry", (entry) => {
    expect(allowedNumberProblem(entry)).toBeDefined();
  });

  test("no text is called that is not + and 7 to 15 digits", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."+0123456789 ;@*\r\n") })), (text) => {
        if (phoneNumberProblem(text) === undefined) expect(text).toMatch(/^\+[1-9]\d{6,14}$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the address of a trunk", () => {
  test.each([
    "sip.example.com",
    "sip.example.com:5070",
    "192.0.2.7",
    "192.0.2.7:5060",
    "pbx",
    "sip.example.com;transport=tcp",
    "sip.example.com:5061;transport=TLS",
  ])("%s is taken", (text) => {
    expect(trunkAddressProblem(text)).toBeUndefined();
  });

  test.each([
    "",
    "sip:sip.example.com",
    "user@sip.example.com",
    "sip.example.com;transport=sctp",
    "sip.example.com;transport=tcp;lr",
    "sip.example.com;lr",
    "sip.example.com?x=y",
    "sip.example.com:0",
    "sip.example.com:70000",
    "sip.example.com:5060:5060",
    "sip.example.com>",
    "sip.example.com\r\nX: y",
    "sip.example.com ",
    "sip example com",
    "[::1]:5060",
    "-sip.example.com",
    "https://sip.example.com",
    `${"x".repeat(300)}.example.com`,
  ])("%j is refused", (text) => {
    expect(trunkAddressProblem(text)).toMatch(/^Send the host of the trunk/);
  });
});
