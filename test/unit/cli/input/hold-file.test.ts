import { describe, expect, it } from 'vitest';
import { parseHolds } from '../../../../src/cli/input/hold-file.js';

/** Whether the text holds the session `s1` of the user `ann`, and nobody else's. */
function holdsIt(text: string): boolean {
  const holds = parseHolds(text, '--hold-file h');
  expect(holds.reasonFor('ben', 's2')).toBeUndefined();
  return holds.reasonFor('ann', 's1') !== undefined;
}

describe('a hold file', () => {
  it.each([
    's1',
    'ann',
    '  s1  ',
    's1\r\n',
    's1\rother',
    '\ts1\t',
    '"s1"',
    "'s1'",
    's1 # a comment',
    's1\t# a comment',
    's1,# a comment',
    '"s1" # "quoted" comment',
    '# a comment\n\n   \ns1',
    'ann,s1',
    'ann;s1',
    'ann\ts1',
    'ann, "s1"',
    'ann,',
    ',s1',
    'user_id,session_id\nann,s1',
    'User ID;Session ID;Reason\nann;s1;"case; 7"',
    'session_id,reason\ns1,legal',
    'reason,user_id\nlegal,ann',
    'id\ns1',
    'session\ns1',
  ])('%j holds', (text) => {
    expect(holdsIt(text)).toBe(true);
  });

  it.each(['', '\n\n', '# s1', '#s1', 's1x', 'S1', 'ann,s9', 'ben2,s1', 'user_id\ns1'])(
    '%j does not, or only as the id that it is',
    (text) => {
      const holds = parseHolds(text, 'h');
      expect(holds.reasonFor('ann', 's1')).toBe(
        text === 'user_id\ns1' ? 'the session is on hold' : undefined,
      );
    },
  );

  it.each([
    ['a#b', 'a#b'],
    ['a #b', 'a #b'],
    ['a,b', 'a,b'],
    ['"a,b"', 'a,b'],
    ['a b', 'a b'],
    ['user', 'user'],
  ])('the line %j holds the id %j, whatever else it may mean', (line, id) => {
    expect(parseHolds(line, 'h').reasonFor('ann', id)).toBe('the session is on hold');
  });

  it('compares users in any spelling, and sessions by their NFC, otherwise exactly', () => {
    const holds = parseHolds('Zoe\u0308', 'h');
    expect(holds.holdsUser('Zoë')).toBe(true);
    expect(holds.holdsUser('zoë')).toBe(true);
    expect(holds.reasonFor('u', 'Zoë')).toBe('the session is on hold');
    expect(holds.reasonFor('u', 'zoë')).toBeUndefined();
  });

  it.each(['a,b,c', '"a', 'a"b', 'user_id,session_id\n,', 'session_id\na,b', ',,'])(
    '%j is not understood, which is said with its line',
    (text) => {
      const line = text.split('\n').length;
      expect(() => parseHolds(text, '--hold-file h')).toThrow(
        new RegExp(`^--hold-file h, line ${line} \\(.*\\) is not understood; allowed is an id`),
      );
    },
  );

  it('says which line is a heading that need not match', () => {
    const { entries } = parseHolds('session_id\ns1', 'h');
    expect(entries.map(({ isOptional }) => isOptional ?? false)).toEqual([true, false]);
  });
});
