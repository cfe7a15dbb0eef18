/** What a person can set in the window. */
import { z } from 'zod';

export const settings = z.object({
  /** Seconds between heartbeats while the window is hidden; in the foreground they run each minute. */
  heartbeatIntervalSeconds: z.int().min(60).max(3600).default(300),
  startAtLogin: z.boolean().default(false),
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  language: z.enum(['system', 'en', 'de', 'ja']).default('system'),
});
export type Settings = z.infer<typeof settings>;

export const settingsChange = settings.partial();
export type SettingsChange = Partial<Settings>;
