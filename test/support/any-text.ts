import fc from "fast-check";

/** Any UTF-16 text, with lone surrogates and control characters among letters, signs and digits. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.uint16Array({ maxLength }).map((units) => String.fromCharCode(...units)),
    fc.uint8Array({ max: 127, maxLength }).map((units) => String.fromCharCode(...units)),
  );
