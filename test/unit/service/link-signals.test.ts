import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { linkSignals } from '../../../src/service/http/link-signals.js';

it('is aborted with the reason of whichever signal is first', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const { controller } = linkSignals([undefined, one.signal, two.signal]);
  two.abort('two');
  one.abort('one');
  expect(controller.signal.reason).toBe('two');
});

it('is aborted from the start when one of the signals is', () => {
  expect(linkSignals([AbortSignal.abort('early')]).controller.signal.reason).toBe('early');
});

it('leaves nothing behind on a long-lived signal', () => {
  const { signal } = new AbortController();
  const links = Array.from({ length: 100 }, () => linkSignals([signal]));
  expect(getEventListeners(signal, 'abort')).toHaveLength(100);
  for (const { release } of links) release();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
