import { expect, it } from 'vitest';
import { deadlineOf, type DeadlineInput } from '../../../src/artifacts/url-deadline.js';
import { parseTimestamp } from '../../../src/model/times/timestamp.js';

const dateMs = Date.UTC(2024, 9, 18, 10, 46, 17);
const AMZ =
  'https://files.example/t.csv?X-Amz-Date=20241018T104617Z&X-Amz-Expires=600&X-Amz-Signature=abc';

/** The page was asked for at 5,000 on the monotonic clock; our wall clock is a year off. */
function deadline(url: string, more: Partial<DeadlineInput> = {}): number | null {
  return deadlineOf({
    url,
    expiresAtMicros: null,
    served: { sentAtMonotonicMs: 5000, dateMs },
    nowMs: dateMs + 365 * 86_400_000,
    nowMonotonicMs: 7000,
    ...more,
  });
}

it('deadlineOf counts an Amazon signature from the page, by the server’s clock, less a second', () => {
  expect(deadline(AMZ)).toBe(5000 + 600_000 - 1000);
});

it('deadlineOf takes a tenth off a short life instead of a second', () => {
  expect(deadline(AMZ.replace('=600', '=2'))).toBe(5000 + 2000 - 200);
});

it('deadlineOf reads expires_at to the millisecond', () => {
  const expiresAtMicros = parseTimestamp('2024-10-18T10:56:17.290544Z') ?? null;
  expect(deadline('https://files.example/t.csv', { expiresAtMicros })).toBe(5000 + 600_290 - 1000);
});

it('deadlineOf believes the earlier of expires_at and the signature', () => {
  const soon = BigInt(dateMs + 300_000) * 1000n;
  const late = BigInt(dateMs + 900_000) * 1000n;
  expect(deadline(AMZ, { expiresAtMicros: soon })).toBe(5000 + 300_000 - 1000);
  expect(deadline(AMZ, { expiresAtMicros: late })).toBe(5000 + 600_000 - 1000);
});

it('deadlineOf falls back on our wall clock where the page carries no Date', () => {
  const served = { sentAtMonotonicMs: 5000, dateMs: null };
  expect(deadline(AMZ, { served, nowMs: dateMs + 60_000 })).toBe(7000 + 540_000 - 1000);
});

it('deadlineOf gives a moment in the past for a URL that had run out when the page was made', () => {
  const url = AMZ.replace('104617', '103000');
  expect(deadline(url)).toBe(5000 - (16 * 60 + 17) * 1000 + 600_000);
});

it.each([
  ['X-Goog', 'https://f.example/a?X-Goog-Date=20241018T104617Z&X-Goog-Expires=600'],
  ['lower-case x-amz', 'https://f.example/a?x-amz-date=20241018T104617Z&x-amz-expires=600'],
  ['x-oss version 4', 'https://f.example/a?x-oss-date=20241018T104617Z&x-oss-expires=600'],
  ['Expires', `https://f.example/a?Expires=${dateMs / 1000 + 600}&Signature=x#top`],
  ['q-sign-time', `https://f.example/a?q-sign-time=${dateMs / 1000}%3B${dateMs / 1000 + 600}`],
  ['se', 'https://f.example/a?se=2024-10-18T10%3A56%3A17Z&sig=x'],
])('deadlineOf knows %s', (_, url) => {
  expect(deadline(url)).toBe(5000 + 600_000 - 1000);
});

it.each([
  ['no signature', 'https://f.example/a?page=1'],
  ['a bare key', 'folder/a.csv'],
  ['half of a signature', 'https://f.example/a?X-Amz-Expires=600'],
  ['a date that is none', 'https://f.example/a?X-Amz-Date=20249918T104617Z&X-Amz-Expires=600'],
  ['a life of zero', 'https://f.example/a?X-Amz-Date=20241018T104617Z&X-Amz-Expires=0'],
  ['a life that is no number', 'https://f.example/a?X-Amz-Date=20241018T104617Z&X-Amz-Expires=ten'],
  ['an Expires header in words', 'https://f.example/a?Expires=never'],
  ['an Expires of 1970', 'https://f.example/a?Expires=100000000'],
  ['an Azure date that is none', 'https://f.example/a?se=tomorrow'],
])('deadlineOf says null for %s', (_, url) => {
  expect(deadline(url)).toBeNull();
});

it('deadlineOf ignores an expires_at of 1970 or of the year 9999 and believes the signature', () => {
  expect(deadline(AMZ, { expiresAtMicros: 0n })).toBe(5000 + 600_000 - 1000);
  const expiresAtMicros = BigInt(Date.UTC(9999, 0, 1)) * 1000n;
  expect(deadline(AMZ, { expiresAtMicros })).toBe(5000 + 600_000 - 1000);
  expect(deadline('key.csv', { expiresAtMicros })).toBeNull();
});
