/** Settings that the user can change in the window. */
import { z } from 'zod';
import { languages } from './language.ts';

export const settings = z.object({
  /** Seconds between heartbeats while the window is not focused; a focused window sends one every minute. */
  heartbeatIntervalSeconds: z.int().min(60).max(3600).default(300),
  startAtLogin: z.boolean().default(false),
  /** Closing the window hides it, if the tray can open it again; otherwise, closing it quits the app. */
  keepRunning: z.boolean().default(true),
  /** System notifications; warnings are shown in the window regardless. */
  notifications: z.boolean().default(true),
  /** When to remind again that the subscription ends. */
  remindAt: z.iso.datetime().optional(),
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  language: z.enum(['system', ...languages]).default('system'),
});
export type Settings = z.infer<typeof settings>;

export const settingsChange = settings.partial();
export type SettingsChange = Partial<Settings>;
