/** A name is exported by one module: searching for it finds its definition. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** What a module declares and exports; what it passes on from others is not its own. */
function exportedNames(path: string, text: string): string[] {
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.DeclarationStatement];
    return declared.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : []));
  });
}

it('a module exports what it declares, each name once, and not what it passes on', () => {
  const text = `
    import { a } from './a.js';
    export { a };
    export { b } from './b.js';
    export const c = 1, d = 2;
    export function e(): void;
    export interface F { readonly g: string }
    const h = 1;`;
  expect(exportedNames('x.ts', text)).toEqual(['c', 'd', 'e', 'F']);
});

it('no name is exported by two modules of src', async () => {
  const modules = new Map<string, Set<string>>();
  const paths = await readdir(SOURCE, { recursive: true });
  for (const path of paths.filter((one) => one.endsWith('.ts'))) {
    for (const name of exportedNames(path, await readFile(join(SOURCE, path), 'utf8'))) {
      modules.set(name, (modules.get(name) ?? new Set()).add(path));
    }
  }
  expect(modules.size).toBeGreaterThan(2000);
  const twice = [...modules].filter(([, those]) => those.size > 1);
  expect(twice.map(([name, those]) => `${name}: ${[...those].join(', ')}`)).toEqual([]);
});
