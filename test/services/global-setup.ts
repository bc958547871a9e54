/** Runs once before all tests: says in a line each what is left out on this machine, and how to have it. */
import { missingPrograms } from './programs.js';

export function setup(): void {
  for (const missing of missingPrograms) process.stderr.write(`Left out: ${missing}.\n`);
}
