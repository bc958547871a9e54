import { expect, it } from 'vitest';
import { COLUMN_CLASSES, LEFT_OUT_TABLES } from '../../../src/model/column-classes.js';
import { TABLES } from '../../../src/model/tables.js';

it('every column of every table has a class, or its table is left out of a pseudonymised copy', () => {
  const classified = TABLES.filter(({ name }) => !LEFT_OUT_TABLES.includes(name));
  expect(Object.keys(COLUMN_CLASSES)).toEqual(classified.map(({ name }) => name));
  for (const { name, columns } of classified) {
    expect(Object.keys(COLUMN_CLASSES[name]!), name).toEqual(columns.map((column) => column.name));
  }
});

it('a column that is kept as it is holds no text but words that jobvault itself chooses', () => {
  const kept = TABLES.flatMap(({ name, columns }) =>
    columns.filter(
      (column) => column.type === 'string' && COLUMN_CLASSES[name]?.[column.name] === 'keep',
    ),
  );
  const names = new Set(kept.map(({ name }) => name));
  expect([...names].toSorted()).toEqual(['created_at_source', 'role', 'status']);
});

it('a column of a key is never dropped', () => {
  for (const { name, columns } of TABLES) {
    for (const column of columns.filter(({ isKey }) => isKey)) {
      expect(COLUMN_CLASSES[name]?.[column.name] ?? 'keep', column.name).toMatch(/keep|key|word/);
    }
  }
});
