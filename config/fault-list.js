/** The faults of test/fault/README.md, and the tests that are tagged with each: `npm run test:faults` prints them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @returns {{ tag: string, what: string }[]} in the order of the list */
export function faults() {
  const list = readFileSync(join(ROOT, 'test/fault/README.md'), 'utf8');
  return [...list.matchAll(/^- \*\*(F-\d+)\*\* (.+)$/gm)].map(([, tag, what]) => ({ tag, what }));
}

/** @returns {Map<string, string[]>} each tag with the tests that carry it, as `file:line title` */
export function testsOfFaults() {
  const tests = new Map();
  const files = readdirSync(join(ROOT, 'test'), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
  for (const file of files) {
    const text = readFileSync(join(ROOT, 'test', file), 'utf8');
    for (const call of text.matchAll(
      /(['"`])((?:(?!\1)[^\\]|\\.)*)\1,\s*(?:\{\s*\.\.\.)?fault\(([^)]*)\)/g,
    )) {
      const line = text.slice(0, call.index).split('\n').length;
      for (const [tag] of call[3].matchAll(/F-\d+/g)) {
        const title = `test/${file}:${line} ${call[2]}`;
        tests.set(tag, [...(tests.get(tag) ?? []), title]);
      }
    }
  }
  return tests;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const tests = testsOfFaults();
  for (const { tag, what } of faults()) {
    console.log(`${tag} ${what}`);
    for (const test of tests.get(tag) ?? []) console.log(`    ${test}`);
  }
}
