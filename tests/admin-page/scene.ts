/** What a scene of the admin page is. */
import type { Page } from '@playwright/test';
import type { Answers } from './fake-api.ts';

export type AdminScene = {
  readonly name: string;
  readonly hash?: string;
  readonly answers?: Answers;
  /** The steps that lead to the state. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Of the browser; English by default. */
  readonly locale?: string;
  /** Of the text, as a multiple of the usual size. */
  readonly textSize?: number;
};
