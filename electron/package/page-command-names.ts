/**
 * The commands that a page may call through the package's preload script. Imports nothing, as that script must stay
 * small.
 */
export const pageCommandNames = [
  'getState',
  'signIn',
  'signUp',
  'signOut',
  'chooseSecretStorage',
  'activateLicense',
  'listDevices',
  'releaseDevice',
  'importLease',
  'verifyInstaller',
  'runDoctor',
] as const;

export type PageCommandName = (typeof pageCommandNames)[number];
