import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp } from '../../../../src/model/times/timestamp.js';

it.each([
  ['2024-11-21T09:56:34.290544Z', '2024-11-21T09:56:34.290544Z'],
  ['2024-11-21T09:56:34Z', '2024-11-21T09:56:34.000000Z'],
  ['2024-11-21T09:56:34.2Z', '2024-11-21T09:56:34.200000Z'],
  ['2024-11-21T09:56:34.290544999Z', '2024-11-21T09:56:34.290544Z'],
  ['2024-11-21T09:56:34.290544999123Z', '2024-11-21T09:56:34.290544Z'],
  ['2024-11-21 09:56:34', '2024-11-21T09:56:34.000000Z'],
  ['2024-11-21t09:56:34z', '2024-11-21T09:56:34.000000Z'],
  ['2024-11-21T09:56:34.5+05:30', '2024-11-21T04:26:34.500000Z'],
  ['2024-11-21T09:56:34-0800', '2024-11-21T17:56:34.000000Z'],
  [' 2024-02-29T23:59:59.999999Z ', '2024-02-29T23:59:59.999999Z'],
  ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ['2024-01-01T24:00:00Z', '2024-01-02T00:00:00.000000Z'],
])('parseTimestamp reads %s as %s', (text, same) => {
  expect(formatTimestamp(parseTimestamp(text)!)).toBe(same);
});

it.each([
  ['2024-02-30T00:00:00Z', 'a 30 February'],
  ['2023-02-29T00:00:00Z', 'a 29 February of a common year'],
  ['2024-04-31T12:00:00+02:00', 'a 31 April'],
  ['2024-13-01T00:00:00Z', 'a thirteenth month'],
  ['2024-01-01T25:00:00Z', 'an hour 25'],
  ['2024-01-01T00:60:00Z', 'a minute 60'],
  ['2024-01-01T00:00:00+25:00', 'a zone of 25 hours'],
  ['2024-11-21', 'a day without a time'],
  ['1732182994', 'seconds since 1970'],
  ['Thu, 21 Nov 2024 09:56:34 GMT', 'the date of HTTP'],
  ['', 'nothing'],
])('parseTimestamp makes no time of %s: %s', (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});

it('what is formatted is parsed back to the microsecond, before 1970 too', () => {
  const micros = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n });
  fc.assert(
    fc.property(micros, (value) => {
      expect(formatTimestamp(value)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(parseTimestamp(formatTimestamp(value))).toBe(value);
    }),
  );
});
