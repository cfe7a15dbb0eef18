/**
 * The hook that electron-builder calls once an app is packed, before it is signed: sets the fuses, reads them back, and
 * checks the archive. Any problem aborts the packaging, so that no installer is made.
 */
import type { AfterPackContext } from 'electron-builder';
import { checkArchive } from './check-archive.ts';
import { checkFuses, findRemovedFuses, fuseSettings, toFuseConfig } from './fuses.ts';
import { locateApp } from './locate-app.ts';

/** Rejects with a sentence for each problem. */
export async function afterPack(context: AfterPackContext): Promise<void> {
  const { packager, appOutDir } = context;
  const settings = fuseSettings.parse(packager.config.electronFuses);
  const { program, archive } = locateApp(appOutDir);
  failIfAny(await findRemovedFuses(program));
  // electron-builder itself sets them only after this hook, again to the same values.
  await packager.addElectronFuses(context, toFuseConfig(settings));
  failIfAny([...checkArchive(archive), ...(await checkFuses(program, settings))]);
}

function failIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
