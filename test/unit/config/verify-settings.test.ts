import { expect, it } from 'vitest';
import { verifySettings } from '../../../src/config/verify-settings.js';

const { schema } = verifySettings.expectedHead;

it('an expected head is a number, alone or with a digest', () => {
  const digest = 'a'.repeat(64);
  expect(schema.parse('42')).toEqual({ number: 42, digest: undefined });
  expect(schema.parse(`7:${digest}`)).toEqual({ number: 7, digest });
  for (const text of [
    '',
    '0',
    'x',
    '1:',
    `1:${digest}0`,
    `1:${digest.toUpperCase()}`,
    '-1',
    '1.5',
  ]) {
    expect(schema.safeParse(text).success).toBe(false);
  }
});
