import fc from "fast-check";

/** Any UTF-16 text, with lone surrogates and control characters among letters, signs and digits. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.uint16Array({ maxLength }).map((units) => String.fromCharCode(...units)),
    fc.uint8Array({ max: 127, maxLength }).map((units) => String.fromCharCode(...units)),
  );

const MARKS = ["\0", "\b", "\u001b", "\uffff", "\ud800", "]]>", "&amp;", "<", '"', "\r\n", "\t", "%", "::", "|"];
/** A text with characters that XML, Markdown or a terminal reads as its own. */
export const textOfMarks = () =>
  fc
    .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 8 })
    .map((parts) => parts.join(""));
