import { expect, it } from 'vitest';
import {
  ENCRYPTED,
  keyInTheClear,
  warnOfKeyInTheClear,
} from '../../../../src/base/http/key-in-the-clear.js';

it.each([
  'https://api.example.com',
  'http://localhost:4010',
  'http://127.0.0.1:4010/v2',
  'http://127.8.9.10',
  'http://[::1]:4010',
  'api.example.com',
])('nothing is told of %s', (baseUrl) => {
  expect(keyInTheClear(baseUrl)).toBeUndefined();
});

it.each([
  ['http://api.example.com/v2', 'api.example.com'],
  ['HTTP://API.example.com:8080', 'api.example.com:8080'],
  ['http://10.0.0.7', '10.0.0.7'],
  ['http://localhost.example.com', 'localhost.example.com'],
  ['http://user:canary@api.example.com?key=canary', 'api.example.com'],
])('of %s the host is named, and nothing else of the address', (baseUrl, host) => {
  expect(keyInTheClear(baseUrl)).toBe(
    `the API key and every answer go to ${host} unencrypted, because the base URL begins with http://: whoever is on the way can read and change them`,
  );
});

it('a log has the warning once', () => {
  const lines: string[] = [];
  const logger = { warn: (_fields: object, message: string) => void lines.push(message) };
  for (const baseUrl of ['https://a', 'http://a', 'http://a']) warnOfKeyInTheClear(logger, baseUrl);
  expect(lines).toEqual([`${keyInTheClear('http://a') ?? ''}; ${ENCRYPTED}`]);
});
