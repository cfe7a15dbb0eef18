/** The update feed, as staff see and change it. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { plainText } from './fields.ts';

const percentMessage = 'must be a whole number from 0 to 100';
const percent = z.int(percentMessage).min(0, percentMessage).max(100, percentMessage);

const updateFeedVersion = z.object({
  version: z.string(),
  published_at: timestamp,
  /** Percentage of devices that are offered this version; 0 means none. */
  percent,
  /** Whether it has a manifest signed by the publisher. */
  manifest: z.boolean(),
  files: z.array(
    z.object({
      name: z.string(),
      /** As in a manifest; null for a block map. */
      platform: z.string().nullable(),
      bytes: z.number(),
      /** In hex. */
      sha256: z.string(),
      /** In base64. */
      sha512: z.string(),
      /** Whether the responding server lacks the file. */
      missing: z.boolean(),
    }),
  ),
});
export type UpdateFeedVersion = z.infer<typeof updateFeedVersion>;

/** Newest first; the first one is offered. */
export const updateFeedResponse = z.object({ versions: z.array(updateFeedVersion) });

export const updateVersionParams = z.object({ version: plainText });

export const rolloutRequest = z.object({ percent });
