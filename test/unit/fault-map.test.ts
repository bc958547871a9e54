/** The map of faults in test/fault/README.md names a test for each, and only tests that there are. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The faults up to this number are all there; those after it are written down as they are covered. */
const FAULTS = 72;

interface Fault {
  readonly number: number;
  /** As vitest names them: file, groups and title, joined by ` > `. */
  readonly tests: string[];
}

const map = faultsOf(await readFile(join(ROOT, 'test/fault/README.md'), 'utf8'));

it('the map of faults has every fault once, in order', () => {
  const numbers = Array.from({ length: FAULTS }, (_, index) => index + 1);
  const found = map.map(({ number }) => number);
  expect(found.slice(0, FAULTS)).toEqual(numbers);
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
});

it('the map of faults has a test for every fault', () => {
  expect(map.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

it('the map of faults names only tests that exist', async () => {
  const named = new Set(map.flatMap(({ tests }) => tests));
  const files = new Set([...named].map((test) => test.split(' > ')[0] ?? ''));
  const present = await Promise.all([...files].map(testsOf));
  expect([...named].filter((test) => !present.flat().includes(test))).toEqual([]);
});

function faultsOf(markdown: string): Fault[] {
  const faults: Fault[] = [];
  for (const line of markdown.split('\n')) {
    const number = /^(\d+)\. +\S/.exec(line)?.[1];
    if (number !== undefined) faults.push({ number: Number(number), tests: [] });
    const test = /^ +- `(.+)`$/.exec(line)?.[1];
    if (test !== undefined) faults.at(-1)?.tests.push(test);
  }
  return faults;
}

/** @param file relative to the root; one that is not there has no tests */
async function testsOf(file: string): Promise<string[]> {
  const path = join(ROOT, file);
  if (!existsSync(path)) return [];
  const source = ts.createSourceFile(file, await readFile(path, 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node, above: string): void => {
    let inside = above;
    if (ts.isCallExpression(node) && node.arguments[0]) {
      const word = calledWord(node.expression);
      const title = titleOf(node.arguments[0], source);
      if (title !== undefined && ['describe', 'it'].includes(word)) {
        inside = `${above} > ${title}`;
        if (word === 'it') found.push(inside);
      }
    }
    ts.forEachChild(node, (child) => {
      visit(child, inside);
    });
  };
  visit(source, file);
  return found;
}

/** `it` of `it(…)`, `it.each(…)(…)` and the like. */
function calledWord(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  const isLink = ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression);
  return isLink ? calledWord(expression.expression) : '';
}

/** As it stands in the source, the gaps of a template too. */
function titleOf(argument: ts.Expression, source: ts.SourceFile): string | undefined {
  if (ts.isStringLiteralLike(argument)) return argument.text;
  return ts.isTemplateExpression(argument) ? argument.getText(source).slice(1, -1) : undefined;
}
