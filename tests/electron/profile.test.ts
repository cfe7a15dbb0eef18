/** The folder of the profile: only one that nobody else could have filled is used. */
import { chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openProfile } from '../../electron/profile.ts';
import { temporaryFolder } from './temporary-folder.ts';

vi.mock('electron', () => ({ app: { getPath: () => '', setPath: () => {} } }));

describe.skipIf(process.platform === 'win32')('a profile folder', () => {
  it('is created for its owner only', () => {
    const folder = join(temporaryFolder(), 'profile');
    expect(openProfile(folder)).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('of another user is refused, who could have put settings with a server of their own there', () => {
    const folder = temporaryFolder();
    const own = process.getuid?.() ?? 0;
    // Folders of root are trusted.
    if (own === 0) chownSync(folder, 1234, 1234);
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(own + 1);
    onTestFinished(() => getuid.mockRestore());
    expect(() => openProfile(folder)).toThrow(/belongs to another user.*LATCHKEY_PROFILE/);
  });
});
