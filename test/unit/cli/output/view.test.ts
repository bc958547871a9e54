/** How an answer looks, whatever command gives it. */
import { expect, it } from 'vitest';
import { NO_PLACE, onArchive, step } from '../../../../src/base/next-step.js';
import { plain } from '../../../../src/cli/output/terminal.js';
import { viewText, type View } from '../../../../src/cli/output/view.js';

const PLACE = { ...NO_PLACE, archive: '/archive' };

it('an answer has its parts in one order, and the next step last', () => {
  const view: View = {
    next: step`${onArchive('verify')} reads all of it.`,
    lines: ['That is all.'],
    lists: [{ items: ['first', 'second', 'third'], most: 2 }],
    table: { headings: ['id', 'name'], rows: [['s1', 'Sales']] },
    facts: [
      ['users', '1'],
      ['unknown', null],
    ],
    headline: 'Found',
  };
  expect(viewText(view, { place: PLACE })).toBe(
    [
      'Found',
      '  users  1',
      '',
      'id  name',
      's1  Sales',
      '    first',
      '    second',
      '    … and 1 more, which --json names',
      'That is all.',
      'Next: jobvault verify /archive reads all of it.',
      '',
    ].join('\n'),
  );
});

it('an answer without a part shows nothing of it', () => {
  expect(viewText({})).toBe('');
  expect(viewText({ headline: 'None', table: { headings: ['id'], rows: [] } })).toBe('None\n');
  expect(viewText({ facts: [['users', null]], lists: [{ items: [] }] })).toBe('');
});

it('an answer cannot steer the terminal, and only its headline has a colour', () => {
  const view: View = {
    headline: 'Gone\u001b[2J',
    tone: 'bad',
    facts: [['by', 'eve\u001b[2J']],
    lines: ['it\u001b[2J'],
  };
  const shown = viewText(view, { paint: { ...plain, bad: (text) => `<red>${text}</red>` } });
  expect(shown).toBe(`<red>Gone\\u001b[2J</red>\n  by  eve\\u001b[2J\nit\\u001b[2J\n`);
});
