/** The system opens links with the packaged app, and a link is never read as an option. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readAppDeclaration } from '../../../electron/app-declaration.ts';

const app = vi.hoisted(() => ({ isPackaged: true, setAsDefaultProtocolClient: vi.fn() }));
vi.mock('electron', () => ({ app }));
const { registerScheme } = await import('../../../electron/opening/register-scheme.ts');

const root = resolve(import.meta.dirname, '../../..');

it('registers the scheme, with the link after the end of the options', () => {
  registerScheme('my-app');
  expect(app.setAsDefaultProtocolClient.mock.calls).toEqual([['my-app', process.execPath, ['--']]]);
});

it('registers nothing during development', () => {
  app.setAsDefaultProtocolClient.mockClear();
  app.isPackaged = false;
  registerScheme('my-app');
  expect(app.setAsDefaultProtocolClient).not.toHaveBeenCalled();
});

it('is the scheme that the installers and the Windows uninstaller name, beside the lease files', () => {
  const builder = readFileSync(resolve(root, 'electron-builder.yml'), 'utf8');
  const { scheme } = readAppDeclaration(readFileSync(resolve(root, 'package.json'), 'utf8'));
  expect(builder).toContain(`schemes: [${scheme}]`);
  const uninstaller = readFileSync(resolve(root, /include: (.*\.nsh)/.exec(builder)?.[1] ?? ''), 'utf8');
  expect(uninstaller).toContain(`LINK_SCHEME "${scheme}"`);
  expect(builder).toMatch(/ext: lease\n.*\n\s+mimeType: application\/x-latchkey-lease/);
});
