/** How the job that delivers events reports failures. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemScheduler } from '../../../server/scheduler.ts';
import { createDeliveryJob } from '../../../server/webhooks/delivery-job.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('attempts that fail after their run are logged once while the failure lasts', async () => {
  const warnings: unknown[] = [];
  let isFailing = true;
  const deliveries = {
    begin: async (onError: (error: unknown) => void) => {
      if (isFailing) setTimeout(() => onError(new Error('the secret cannot be read')), 100);
    },
    dropExcess: async () => 0,
    stop: async () => undefined,
  };
  const logger = { info() {}, warn: (_fields: unknown, text?: string) => warnings.push(text) };
  const job = createDeliveryJob({ scheduler: systemScheduler, deliveries, logger });
  job.start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(warnings).toEqual(['events could not be delivered; trying again']);
  isFailing = false;
  await vi.advanceTimersByTimeAsync(2000);
  isFailing = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(warnings).toHaveLength(2);
  await job.stop();
});
