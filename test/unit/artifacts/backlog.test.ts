import { describe, expect, it } from 'vitest';
import { createAbsorption } from '../../../src/artifacts/absorption.js';
import { createBacklog } from '../../../src/artifacts/backlog.js';
import { failureOf } from '../../support/test-client.js';

describe('the backlog', () => {
  it('lets readers on while there is room, and then one for each settled file, in order', async () => {
    const backlog = createBacklog(() => 2);
    const released: string[] = [];
    const ask = (name: string) => backlog.ready().then(() => void released.push(name));
    await ask('a');
    for (let i = 0; i < 3; i++) backlog.enter();
    const waiting = [ask('b'), ask('c'), ask('d')];
    backlog.leave();
    await Promise.resolve();
    expect(released).toEqual(['a']);
    backlog.leave();
    await waiting[0];
    expect(released).toEqual(['a', 'b']);
    backlog.leave(); // nothing is left: nobody needs to wait
    await Promise.all(waiting);
    expect(released).toEqual(['a', 'b', 'c', 'd']);
  });

  it('forgets a reader that was called off', async () => {
    const backlog = createBacklog(() => 1);
    const controller = new AbortController();
    const reason = new Error('stop');
    backlog.enter();
    const first = backlog.ready(controller.signal);
    const second = backlog.ready();
    controller.abort(reason);
    expect(await failureOf(first)).toBe(reason);
    backlog.leave();
    await second;
    expect(await failureOf(backlog.ready(controller.signal))).toBe(reason);
  });
});

describe('the absorption', () => {
  it('is what can be downloaded in half of a URL’s life', () => {
    const absorption = createAbsorption(4);
    absorption.observeDownload(400);
    absorption.observeLife(2000);
    expect(absorption.capacity()).toBe(10);
  });

  it('is at least a file for each slot and at most 2,000', () => {
    const absorption = createAbsorption(8);
    expect(absorption.capacity()).toBe(2000);
    absorption.observeLife(-5000);
    expect(absorption.capacity()).toBe(8);
    for (let i = 0; i < 100; i++) absorption.observeLife(600_000);
    for (let i = 0; i < 100; i++) absorption.observeDownload(0);
    expect(absorption.capacity()).toBe(2000);
  });

  it('follows what changes', () => {
    const absorption = createAbsorption(1);
    absorption.observeLife(10_000);
    absorption.observeDownload(10);
    expect(absorption.capacity()).toBe(500);
    for (let i = 0; i < 50; i++) absorption.observeDownload(1000);
    expect(absorption.capacity()).toBe(5);
  });
});
