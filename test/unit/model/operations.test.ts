import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPERATION_NAMES, operationPath, operationShape } from '../../../src/model/operations.js';

it('the list of operations and the table of the guide say the same', () => {
  const page = readFileSync('config/guide/service.md', 'utf8');
  const row = /^\| (?<words>[a-z ]+?) +\| (?<method>GET|POST|DELETE) `(?<path>[^`]+)`/gm;
  const told = [...page.matchAll(row)].map(({ groups }) => ({ ...groups }));

  const listed = OPERATION_NAMES.map((name) => {
    const { words, method, path } = operationShape(name);
    return { words, method, path };
  });
  expect(told).toHaveLength(12);
  expect(new Set(told.map((one) => JSON.stringify(one)))).toEqual(
    new Set(listed.map((one) => JSON.stringify(one))),
  );
});

it('an operation is about what its path names, and an id cannot change the path', () => {
  for (const name of OPERATION_NAMES) {
    const { path, resource } = operationShape(name);
    expect(path.split('/')[3]).toBe(`${resource}s`);
    expect(operationPath(name, '$&/é').split('/')).toEqual(
      path.split('/').map((part) => (part === '{id}' ? '%24%26%2F%C3%A9' : part)),
    );
  }
});
