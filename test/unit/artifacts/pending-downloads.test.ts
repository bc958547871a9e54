import { expect, it } from 'vitest';
import { PendingDownloads } from '../../../src/artifacts/pending-downloads.js';
import { DownloadCapacity } from '../../../src/artifacts/download-capacity.js';
import { failureOf } from '../../support/http/test-client.js';

it('readers go on while there is room, and then one for each settled file, in order', async () => {
  const pending = new PendingDownloads({ files: () => 2 });
  const released: string[] = [];
  const ask = (name: string) => pending.ready().then(() => void released.push(name));
  await ask('a');
  for (let i = 0; i < 3; i++) pending.enter();
  const waiting = [ask('b'), ask('c'), ask('d')];
  pending.leave();
  await Promise.resolve();
  expect(released).toEqual(['a']);
  pending.leave();
  await waiting[0];
  expect(released).toEqual(['a', 'b']);
  pending.leave(); // nothing is left: nobody needs to wait
  await Promise.all(waiting);
  expect(released).toEqual(['a', 'b', 'c', 'd']);
});

it('pending downloads forgets a reader whose signal is aborted', async () => {
  const pending = new PendingDownloads({ files: () => 1 });
  const controller = new AbortController();
  const reason = new Error('stop');
  pending.enter();
  const first = pending.ready(controller.signal);
  const second = pending.ready();
  controller.abort(reason);
  expect(await failureOf(first)).toBe(reason);
  pending.leave();
  await second;
  expect(await failureOf(pending.ready(controller.signal))).toBe(reason);
});

it('the capacity for downloads is what can be downloaded in half of a URL’s life', () => {
  const capacityEstimate = new DownloadCapacity(4);
  capacityEstimate.observeDownload(400);
  capacityEstimate.observeLife(2000);
  expect(capacityEstimate.files()).toBe(10);
});

it('the capacity for downloads is at least a file for each slot and at most 2,000', () => {
  const capacityEstimate = new DownloadCapacity(8);
  expect(capacityEstimate.files()).toBe(2000);
  capacityEstimate.observeLife(-5000);
  expect(capacityEstimate.files()).toBe(8);
  for (let i = 0; i < 100; i++) capacityEstimate.observeLife(600_000);
  for (let i = 0; i < 100; i++) capacityEstimate.observeDownload(0);
  expect(capacityEstimate.files()).toBe(2000);
});

it('the capacity for downloads follows what changes', () => {
  const capacityEstimate = new DownloadCapacity(1);
  capacityEstimate.observeLife(10_000);
  capacityEstimate.observeDownload(10);
  expect(capacityEstimate.files()).toBe(500);
  for (let i = 0; i < 50; i++) capacityEstimate.observeDownload(1000);
  expect(capacityEstimate.files()).toBe(5);
});
