/** The commands that a page may call through the preload of the package. Imports nothing, as the preload must stay small. */
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
