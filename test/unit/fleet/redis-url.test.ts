import { expect, it } from 'vitest';
import { checkRedisUrl } from '../../../src/fleet/redis-url.js';

const refusalOf = (url: string): string => {
  try {
    checkRedisUrl(url);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

it.each([
  'redis://queue',
  'redis://queue:6380/15',
  'rediss://user:p%2Fw%40%25@queue:6380/',
  'redis://:pw@[::1]:6379/0',
  'redis://queue?family=0',
])('the name of a Redis may be %s', (url) => {
  expect(refusalOf(url)).toBe('');
});

it.each([
  ['http://queue', 'http://queue'],
  ['queue:6379', 'queue:6379'],
  ['redis://', 'redis://'],
  ['redis://queue/night', 'redis://queue/night'],
  ['redis://queue/0/1', 'redis://queue/0/1'],
])('the name of a Redis may not be %s', (url, shown) => {
  expect(refusalOf(url)).toContain(`--redis is "${shown}"; allowed is redis://`);
});

it.each([
  'redis://:canary/rest@queue',
  'redis://:canary#rest@queue',
  'redis://:canary?rest@queue',
  'redis://user:12?canary@queue',
  'redis://user:first@canary/rest@queue:6379',
  'redis://:100%canary@queue',
  'redis://:canary',
  'redis:/canary@queue',
  'http://:canary@queue',
])('a malformed Redis address is refused without what may be its password: %s', (url) => {
  expect(refusalOf(url)).toMatch(/^--redis is "[^"]*"; allowed is redis:.* @ is %40/);
  expect(refusalOf(url)).not.toContain('canary');
  expect(refusalOf(url)).not.toContain('first');
});
