import { expect, it } from 'vitest';
import { wordsOf, type Command } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands.js';

const ALL = await Promise.all(COMMANDS.map(({ load }) => load()));
const onlyReads = (command: Command) => command.onlyReads?.({}) === true;
const namesOf = (commands: readonly Command[]) =>
  commands.map((command) => wordsOf(command).join(' ')).toSorted();

it('a command says that it only reads, unless it changes something: a signal ends it in 2 s', () => {
  expect(namesOf(ALL.filter((command) => !onlyReads(command)))).toEqual([
    'compact',
    'completion',
    'copy',
    ...['datasets create', 'datasets delete', 'datasets modify'],
    'demo',
    'doctor',
    'drill',
    'enqueue',
    'erase',
    'expire',
    'export',
    ...['gap accept', 'gap withdraw'],
    ...['hold add', 'hold release'],
    'init',
    'prune',
    ...['request close', 'request decide', 'request new'],
    'serve',
    ...['sessions create', 'sessions delete', 'sessions modify'],
    'worker',
  ]);
});

it('a command that must be told its archive changes it, or shows one thing of it', () => {
  const told = ALL.filter(({ usage }) => usage.includes('<archive>'));
  expect(namesOf(told.filter(onlyReads))).toEqual(['request show']);
});
