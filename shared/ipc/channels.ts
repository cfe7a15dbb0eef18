/** The names of the IPC channels. Free of zod, so that the preload bundle stays small. */

export const commandChannelPrefix = 'latchkey:';

/** Main tells the window that the state has changed; the payload is the whole `AppState`. */
export const stateChannel = 'latchkey:state';

/** Each command of the window once; `ipc-schema.ts` gives each its argument. */
export const commandNames = [
  'getState',
  'signIn',
  'signUp',
  'signOut',
  'setServerAddress',
  'chooseSecretStorage',
  'checkNow',
  'runDoctor',
  'activateLicense',
  'listDevices',
  'releaseDevice',
  'generateApiKey',
  'copyApiKey',
  'confirmApiKeySaved',
  'verifyInstallation',
  'chooseInstaller',
  'verifyInstaller',
  'cancelVerification',
  'exportHistory',
  'changeSettings',
  'dismissWarning',
  'openLink',
] as const;

export type CommandName = (typeof commandNames)[number];

export function commandChannel(command: CommandName): string {
  return commandChannelPrefix + command;
}
