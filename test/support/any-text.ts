import fc from "fast-check";

/** Generates text of any UTF-16 code units: letters, digits, signs, control characters and lone surrogates. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.uint16Array({ maxLength }).map((units) => String.fromCharCode(...units)),
    fc.uint8Array({ max: 127, maxLength }).map((units) => String.fromCharCode(...units)),
  );

const MARKS = ["\0", "\b", "\u001b", "\uffff", "\ud800", "]]>", "&amp;", "<", '"', "\r\n", "\t", "%", "::", "|"];
/** Generates text with the characters that have a special meaning in XML, in Markdown or in a terminal. */
export const textOfMarks = () =>
  fc
    .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 8 })
    .map((parts) => parts.join(""));
