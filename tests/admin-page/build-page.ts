/** Playwright's global setup: builds the admin page where the server looks for it, unless it is current. */
import { buildPagesIfChanged } from '../../.npm/pages.mjs';
import { repository } from '../harness/environment.ts';

// biome-ignore lint/style/noDefaultExport: Playwright requires a default export
export default function buildPage(): void {
  buildPagesIfChanged(repository);
}
