import { expect, it } from 'vitest';
import { FakeClock } from '../../support/base/fake-clock.js';

it('the fake clock wakes sleepers in the order in which they are due, each at its time', async () => {
  const clock = new FakeClock(1000);
  const woken: [string, number, number][] = [];
  const sleeper = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms);
    woken.push([name, clock.monotonic(), clock.now()]);
  };
  void sleeper('late', 30);
  void sleeper('early', 10).then(() => sleeper('again', 5));
  void sleeper('tie', 10);
  await clock.advance(20);
  expect(woken).toEqual([
    ['early', 10, 1010],
    ['tie', 10, 1010],
    ['again', 15, 1015],
  ]);
  expect([clock.sleeping, clock.monotonic()]).toEqual([1, 20]);
});

it('the fake clock throws the reason of an abort, and forgets the sleeper', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const asleep = clock.sleep(10, controller.signal);
  controller.abort('enough');
  await expect(asleep).rejects.toBe('enough');
  await expect(clock.sleep(10, controller.signal)).rejects.toBe('enough');
  expect(clock.sleeping).toBe(0);
});
