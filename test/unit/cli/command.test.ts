import { expect, it } from 'vitest';
import { defineCommand } from '../../../src/cli/command.js';
import { changesCommand } from '../../../src/cli/commands/changes.js';
import { drillCommand } from '../../../src/cli/commands/drill.js';
import { holdAddCommand } from '../../../src/cli/commands/hold.js';
import { tablesCommand } from '../../../src/cli/commands/tables.js';
import { toggle } from '../../../src/config/setting.js';
import { resolveSettings } from '../../../src/config/resolve-settings.js';

const describe = 'd';

it('a flag of one command alone is set by no variable', () => {
  const { settings } = defineCommand({
    usage: 'look [archive]',
    describe,
    settings: {},
    flags: { quick: toggle({ name: 'quick', describe }) },
    examples: {},
    run: () => Promise.resolve({}),
  });
  const environment = { JOBVAULT_QUICK: 'true' };
  const sources = { flags: {}, environment, file: undefined };
  expect(resolveSettings(settings, sources)).toEqual({ quick: false });
  expect(resolveSettings(settings, { ...sources, flags: { quick: true } })).toEqual({
    quick: true,
  });
});

it('no variable and no file turns a drill into a list of the drills that were made', () => {
  const environment = { JOBVAULT_LIST: 'true' };
  const { list } = drillCommand.settings;
  expect(list && resolveSettings({ list }, { flags: {}, environment, file: undefined })).toEqual({
    list: false,
  });
});

it('the words of a command are those of its usage, in their order', () => {
  const { positionals } = defineCommand({
    usage: 'look <archive> [what] [where..]',
    describe,
    settings: {},
    positionals: { where: 'places', what: 'a thing' },
    examples: {},
    run: () => Promise.resolve({}),
  });
  expect(Object.entries(positionals)).toEqual([
    ['archive', 'The archive: a directory or s3://bucket/prefix'],
    ['what', 'a thing'],
    ['where', 'places'],
  ]);
});

it('a command takes the archive of the settings where its usage lets out the archive', () => {
  const commands = [changesCommand, holdAddCommand, tablesCommand];
  expect(commands.map(({ archiveOfSettings }) => archiveOfSettings)).toEqual([
    ...['always', 'never', 'never'],
  ]);
});
