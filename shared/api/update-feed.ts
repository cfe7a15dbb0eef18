/** What the update feed is made of: which kinds of files it has, and which channel file of `electron-updater` offers each. */

/** In the order in which a channel lists them: the first is the one that `electron-updater` prefers. */
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
/** A file that is installed; a block map only says which parts of one have changed. */
export type InstallableKind = Exclude<UpdateFileKind, 'block_map'>;

export const updateChannels = ['latest.yml', 'latest-mac.yml', 'latest-linux.yml', 'latest-linux-arm64.yml'] as const;
export type UpdateChannel = (typeof updateChannels)[number];

/** The platform as manifests name it, and the channel that offers the file. */
export const installableKinds = {
  windows_x64: { platform: 'windows_x64', channel: 'latest.yml' },
  macos_zip: { platform: 'macos_arm64', channel: 'latest-mac.yml' },
  macos_arm64: { platform: 'macos_arm64', channel: 'latest-mac.yml' },
  linux_amd64: { platform: 'linux_amd64', channel: 'latest-linux.yml' },
  linux_deb: { platform: 'linux_amd64', channel: 'latest-linux.yml' },
  linux_arm64: { platform: 'linux_arm64', channel: 'latest-linux-arm64.yml' },
} as const satisfies Record<InstallableKind, { platform: string; channel: UpdateChannel }>;
