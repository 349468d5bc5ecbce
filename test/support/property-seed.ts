// CI sets SPEC_SEED and draws the same input each time, because a merge must not depend on chance. Other runs draw new input
// and print the seed of a failure.
export const seed = process.env.SPEC_SEED;
if (seed !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ seed: Number(seed) });
}
