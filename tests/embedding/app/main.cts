import { app, BrowserWindow } from 'electron';
import { createLicensingClient } from 'latchkey-client';
import { createElectronPlatform, registerCommands } from 'latchkey-client/electron';
import { allowScheme, servePage } from './serve-page.cjs';

if (!app.requestSingleInstanceLock()) app.exit();
allowScheme();
app.whenReady().then(async () => {
  servePage();
  const client = createLicensingClient({
    platform: await createElectronPlatform({ folder: app.getPath('userData'), withoutKeyring: 'file' }),
    server: process.env.LICENSE_SERVER ?? 'https://licenses.example.org',
    app: { name: 'Sketcher', version: app.getVersion() },
  });
  await client.start();
  const window = new BrowserWindow({ webPreferences: { preload: require.resolve('latchkey-client/preload') } });
  registerCommands(client, { window, origin: 'app://sketcher' });
  await window.loadURL('app://sketcher/index.html');
});
