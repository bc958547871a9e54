import { expect, it } from 'vitest';
import { JOB_MODES, LIMITS, OUTPUT_LANGUAGES, asObject } from '../../../src/model/records.js';

it('only an object is one: no array, no null, nothing else', () => {
  const object = JSON.parse('{"__proto__":1}') as unknown;
  expect(asObject(object)).toBe(object);
  for (const other of [[], null, undefined, '{}', 1, true]) expect(asObject(other)).toBeUndefined();
});

it('the values that the interface allows are those of its document', () => {
  expect(OUTPUT_LANGUAGES).toHaveLength(18);
  expect(new Set(OUTPUT_LANGUAGES).size).toBe(18);
  expect(JOB_MODES).toEqual(['AUTO', 'DATA_ANALYTICS']);
  expect(LIMITS).toMatchObject({ sessionsPerUser: 150, nameLength: 128, descriptionLength: 5000 });
});
