/** Draws the app and tray icons from the window's mark; run it manually when the mark changes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';

const here = import.meta.dirname;
const mark = readFileSync(join(here, '../../renderer/icon.svg'), 'utf8');
/** macOS colors a tray icon itself, based on its opaque parts, so the hole stays transparent. */
const templateMark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill-rule="evenodd"
  d="M12 1 23 12 12 23 1 12Zm0 6.6a2.7 2.7 0 0 0-1.5 4.9L9.8 17h4.4l-.7-4.5A2.7 2.7 0 0 0 12 7.6Z"/></svg>`;

/** A dot in the corner, and a gap around it, so that both show in one color too. */
const gap = `<mask id="gap"><path fill="#fff" d="M0 0h24v24H0z"/><circle cx="18.5" cy="18.5" r="6.5"/></mask>`;

function withDot(svg: string, color: string): string {
  const [, open = '', content = ''] = /^(<svg[^>]*>)(.*)<\/svg>$/s.exec(svg.trim()) ?? [];
  return `${open}${gap}<g mask="url(#gap)">${content}</g><circle cx="18.5" cy="18.5" r="5" fill="${color}"/></svg>`;
}

const browser = await chromium.launch({ executablePath: process.env.TEST_BROWSER, args: ['--no-sandbox'] });
await draw('icon.png', 512, mark);
await draw('tray.png', 32, mark);
await draw('tray-template.png', 32, templateMark);
await draw('tray-attention.png', 32, withDot(mark, '#e8590c'));
await draw('tray-attention-template.png', 32, withDot(templateMark, '#000'));
await browser.close();

async function draw(name: string, size: number, svg: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
  writeFileSync(join(here, name), await page.screenshot({ omitBackground: true }));
}
