import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  BLOCK_TYPE_WORDS,
  blockTypeOf,
  isListShape,
  isOfShapeSql,
  isTextShape,
  shapeOf,
} from '../../../../src/model/blocks/block-types.js';
import { ROOT } from '../../../support/base/repository-files.js';

it('the type of a block is in upper case, of one spelling, and null where it is no text', () => {
  expect(['Message', 'SOURCE', 'sources', 'Mood', '', 5, null].map(blockTypeOf)).toEqual([
    ...['MESSAGE', 'SOURCES', 'SOURCES', 'MOOD', '', null, null],
  ]);
});

it('the type of a block has a shape; that of an unknown one, or of none, is JSON', () => {
  const shapes = BLOCK_TYPE_WORDS.map((word) => shapeOf(blockTypeOf(word)));
  expect(shapes).not.toContain('json');
  expect(['MOOD', 'message', '', null].map(shapeOf)).toEqual(['json', 'json', 'json', 'json']);
  expect(new Set(shapes.filter(isTextShape))).toEqual(new Set(['prose', 'code']));
  expect(new Set(shapes.filter(isListShape))).toEqual(new Set(['sources', 'questions']));
});

it('the type of a block is asked for in SQL by its shape, and never null', () => {
  expect(isOfShapeSql('b.type', 'code')).toBe("coalesce(b.type IN ('CODE'), false)");
  expect(isOfShapeSql('type', 'link')).toBe("coalesce(type IN ('TASK', 'TRIGGER'), false)");
});

it('the type of a block is named in one file alone, outside of the emulator', async () => {
  const paths = await readdir(join(ROOT, 'src'), { recursive: true });
  const naming: string[] = [];
  for (const path of paths.filter((one) => one.endsWith('.ts') && !one.startsWith('emulator'))) {
    const text = await readFile(join(ROOT, 'src', path), 'utf8');
    // `artifacts` names what a file must be, and HTML has a <table>
    const names = /^(?:artifacts\/|report\/page\/safe-html)/.test(path)
      ? /'(?:MESSAGE|SOURCES?|QUESTIONS|TASK|TRIGGER)'/
      : /'(?:MESSAGE|TABLE|IMAGE|SOURCES?|QUESTIONS|TASK|TRIGGER)'/;
    if (names.test(text)) naming.push(path);
  }
  expect(naming).toEqual(['model/blocks/block-types.ts']);
});
