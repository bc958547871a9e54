import { expect, it } from 'vitest';
import { traceIds } from '../../../src/service/trace-ids.js';

it('numbers every request and never exceeds 128 characters', () => {
  const next = traceIds('r'.repeat(127));
  const ids = Array.from({ length: 11 }, next);
  expect(ids[0]).toBe(`${'r'.repeat(126)}-1`);
  expect(ids[10]).toBe(`${'r'.repeat(125)}-11`);
  expect(new Set(ids).size).toBe(11);
});

it('puts nothing into a header that a header cannot hold', () => {
  expect(traceIds('run ü\r\nx: y')()).toBe('run____x:_y-1');
});
