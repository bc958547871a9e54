/** Flags of V8 for the processes of tests: a function is optimised later, since most tests end before it pays. */

/** Saves a fifth of a small export, and a tenth of what the simulator costs. Only Node.js 20 knows the flag. */
export const V8_FLAGS: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=1000000']
  : [];
