/** Builds the window once before the specs; the one default export that Playwright asks for. */
import { buildWindow } from './serve-window.ts';

// biome-ignore lint/style/noDefaultExport: Playwright takes a global setup only so
export default buildWindow;
