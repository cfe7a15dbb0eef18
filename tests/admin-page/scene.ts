/** The type of a scene of the admin page. */
import type { Page } from '@playwright/test';
import type { Answers } from './fake-api.ts';

export type AdminScene = {
  readonly name: string;
  readonly hash?: string;
  readonly answers?: Answers;
  /** The steps that lead to the state. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Locale of the browser; English by default. */
  readonly locale?: string;
  /** Size of the text, as a multiple of the default. */
  readonly textSize?: number;
};
