/** File kinds in the update feed, and the `electron-updater` channel file that offers each. */

/** In channel order: `electron-updater` prefers the first. */
export const updateFileKinds = [
  'windows_x64',
  'macos_zip',
  'macos_arm64',
  'linux_amd64',
  'linux_deb',
  'linux_arm64',
  'block_map',
] as const;
export type UpdateFileKind = (typeof updateFileKinds)[number];
/** An installable file; a block map only says which parts of one have changed. */
export type InstallableKind = Exclude<UpdateFileKind, 'block_map'>;

export const updateChannels = ['latest.yml', 'latest-mac.yml', 'latest-linux.yml', 'latest-linux-arm64.yml'] as const;
export type UpdateChannel = (typeof updateChannels)[number];

/** The manifest's platform name, and the channel that offers the file. */
export const installableKinds = {
  windows_x64: { platform: 'windows_x64', channel: 'latest.yml' },
  macos_zip: { platform: 'macos_arm64', channel: 'latest-mac.yml' },
  macos_arm64: { platform: 'macos_arm64', channel: 'latest-mac.yml' },
  linux_amd64: { platform: 'linux_amd64', channel: 'latest-linux.yml' },
  linux_deb: { platform: 'linux_amd64', channel: 'latest-linux.yml' },
  linux_arm64: { platform: 'linux_arm64', channel: 'latest-linux-arm64.yml' },
} as const satisfies Record<InstallableKind, { platform: string; channel: UpdateChannel }>;
