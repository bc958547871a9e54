import { expect, it } from 'vitest';
import { wordsOf } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands.js';

it('commands that change neither archive nor service say so: a signal ends them in 2 s', async () => {
  const commands = await Promise.all(COMMANDS.map(({ load }) => load()));
  const readers = commands.filter(({ onlyReads }) => onlyReads?.({}) === true);
  expect(readers.map((command) => wordsOf(command).join(' ')).toSorted()).toEqual([
    'changes',
    'config show',
    'datasets list',
    'datasets overview',
    'datasets status',
    'evidence',
    'files',
    'gap list',
    'hold list',
    'mcp',
    'query',
    'report',
    'request list',
    'request show',
    'search',
    'sessions get',
    'sessions history',
    'sessions list',
    'show',
    'status',
    'tables',
    'verify',
    'workbook',
  ]);
});
