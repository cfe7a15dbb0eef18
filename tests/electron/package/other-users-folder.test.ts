/** Another user could have put settings, with a server of their own, in a folder that an embedded client opens. */
import { chownSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createNodePlatform } from '../../../electron/package/create-node-platform.ts';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('electron', () => ({}));

it.skipIf(process.platform === 'win32')('a folder of another user is refused', async () => {
  const folder = temporaryFolder();
  const own = process.getuid?.() ?? 0;
  // Folders of root are trusted.
  if (own === 0) chownSync(folder, 1234, 1234);
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(own + 1);
  onTestFinished(() => getuid.mockRestore());
  await expect(createNodePlatform({ folder })).rejects.toThrow('belongs to another user');
});
