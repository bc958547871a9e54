/** Flags of V8 for the processes of tests: code is compiled and optimised later, since most tests end before it pays. */

const IS_NODE_20 = process.versions.node.startsWith('20.');

/** The first saves a fifth of a small export, and only Node.js 20 knows it; the second 3 % of the integration tests. */
export const V8_FLAGS: readonly string[] = IS_NODE_20
  ? ['--interrupt-budget=1000000', '--max-lazy']
  : ['--max-lazy'];

/**
 * For processes that end soon: they would spend a fourth of a small export on optimising the WebAssembly of
 * Zstandard, which newer versions of Node.js have built in.
 */
export const SHORT_LIVED_FLAGS: readonly string[] = IS_NODE_20
  ? [...V8_FLAGS, '--liftoff-only']
  : V8_FLAGS;
