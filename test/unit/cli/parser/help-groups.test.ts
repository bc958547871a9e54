import { expect, it } from 'vitest';
import { exportCommand } from '../../../../src/cli/commands/export.js';
import { showCommand } from '../../../../src/cli/commands/show.js';
import { helpGroups } from '../../../../src/cli/parser/help-groups.js';
import { undatedRow } from '../../../../src/search/search-facts.js';
import { pruneSettings } from '../../../../src/config/rewrite-settings.js';
import { searchSettings } from '../../../../src/config/search-settings.js';
import { commonSettings } from '../../../../src/config/common-settings.js';
import { exportSettings } from '../../../../src/config/export-settings.js';

const common = Object.values(commonSettings);

it('every flag of export stands in the help under a heading, once, but those for buckets', () => {
  const all = Object.values(exportCommand.settings);
  const own = all.filter(({ name }) => !name.startsWith('s3-'));
  expect(own.length).toBeLessThan(all.length);
  const groups = helpGroups(all, common);
  expect(groups.map(({ heading }) => heading)).not.toContain('Options:');
  const names = groups.flatMap(({ settings }) => settings.map(({ name }) => name));
  expect(names.toSorted()).toEqual([...own, ...common].map(({ name }) => name).toSorted());
});

it('a command with few flags has one list', () => {
  const groups = helpGroups(Object.values(showCommand.settings), common);
  expect(groups.map(({ heading }) => heading)).toEqual(['Options:', 'Common options:']);
});

it('the help says when --yes is needed', () => {
  expect(pruneSettings.yes.describe).toBe('Skip the question. Required when there is no terminal');
});

it('what was left out for want of a date says how many, and what takes them along', () => {
  const left = (unknown: number) => undatedRow({ undated: null, time_unknown: unknown });
  expect([left(0), left(1), left(3)]).toEqual([
    undefined,
    [
      'left out',
      '1 question whose date is unknown; --undated include takes it in; until that or --undated exclude is given, the exit code is 3',
    ],
    [
      'left out',
      '3 questions whose date is unknown; --undated include takes them in; until that or --undated exclude is given, the exit code is 3',
    ],
  ]);
});

it('the help says until when --to reaches, and what --full finds at once', () => {
  const { from, to } = searchSettings;
  expect([from.describe, to.describe, exportSettings.full.describe]).toEqual([
    'From this day, month, year or time on (UTC), such as 2026-03, 2026-03-31T08:00Z, last-month or 30d (30 days ago)',
    'Up to and including this day, month or year (UTC), or a word as in --from; with a time: before that time',
    'Read all histories completely now; otherwise a change in the middle of a long history is found only within --reread',
  ]);
});
