/** What each command of the window does, one line each. */
import type { CommandHandlers } from '../../shared/ipc/ipc-types.ts';
import type { LicensingClient } from '../licensing/licensing-client.ts';

/** The commands that need the desktop itself: dialogs, the clipboard, the person's browser. */
export type DesktopCommands = Pick<CommandHandlers, 'copyApiKey' | 'chooseInstaller' | 'exportHistory' | 'openLink'>;

/** Ties the commands to the licensing client and to the desktop. */
export function commandHandlers(client: LicensingClient, desktop: DesktopCommands): CommandHandlers {
  return {
    getState: () => client.getState(),
    signIn: (input) => client.signIn(input),
    signUp: (input) => client.signUp(input),
    signOut: (input) => client.signOut(input),
    setServerAddress: (input) => client.setServerAddress(input),
    chooseSecretStorage: (input) => client.chooseSecretStorage(input),
    checkNow: () => client.checkNow(),
    runDoctor: () => client.runDoctor(),
    activateLicense: (input) => client.activateLicense(input),
    listDevices: () => client.listDevices(),
    releaseDevice: (input) => client.releaseDevice(input),
    generateApiKey: (input) => client.generateApiKey(input),
    copyApiKey: () => desktop.copyApiKey(),
    confirmApiKeySaved: () => client.confirmApiKeySaved(),
    verifyInstallation: () => client.verifyInstallation(),
    chooseInstaller: () => desktop.chooseInstaller(),
    verifyInstaller: (input) => client.verifyInstaller(input),
    cancelVerification: () => client.cancelVerification(),
    exportHistory: () => desktop.exportHistory(),
    changeSettings: (input) => client.changeSettings(input),
    dismissWarning: (input) => client.dismissWarning(input),
    openLink: (input) => desktop.openLink(input),
  };
}
