/** Playwright's global setup: builds the window once before the specs. */
import { buildWindow } from './serve-window.ts';

// biome-ignore lint/style/noDefaultExport: Playwright requires a default export
export default buildWindow;
