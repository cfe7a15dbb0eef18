/** Which folder may import which others, each rule with its reason; tsconfigs cannot express these rules. */

export type ImportRule = {
  /** Files whose path starts with this … */
  readonly from: string;
  /** … except those that start with one of these … */
  readonly except?: readonly string[];
  /** … and that match this … */
  readonly ofFiles?: RegExp;
  /**
   * … never import what matches this, which may depend on the file: a path relative to the repo's root, or a package
   * name.
   */
  readonly never: RegExp | ((file: string) => RegExp);
  readonly because: string;
};

export const importRules: readonly ImportRule[] = [
  {
    from: 'shared/',
    never: /^(?!shared\/|zod$)/,
    because: 'shared/ runs anywhere, so it may depend on zod only',
  },
  {
    from: 'renderer/',
    never: /^(?:electron|server|tests)(?:\/|$)|^node:/,
    because: 'the window is sandboxed: it reaches the main process only through the bridge',
  },
  {
    from: 'renderer/',
    except: ['renderer/admin/'],
    never: /^renderer\/admin\//,
    because: 'the window and the admin page are two programs: what both use is outside of admin/',
  },
  {
    from: 'renderer/',
    except: ['renderer/account/'],
    never: /^renderer\/account\//,
    because: 'the account page is made of the window, and not the other way round',
  },
  {
    from: 'renderer/admin/',
    never:
      /^renderer\/(?!admin\/|components\/|styles\/|run-command|send-request|use-action|use-timers|i18n\/(?!messages|license-|feature-|activity|locales\/(?!shared-)))/,
    because: 'the admin page has no main process: it shares components, styles and languages with the window, no more',
  },
  {
    from: 'renderer/components/',
    never:
      /^renderer\/(?:App|bridge|account-bridge|main|routing|store|layout\/|routes\/|i18n\/(?:messages|locales\/(?!shared-)))/,
    because: 'the admin page uses it too, and has neither the bridge nor the messages of the window',
  },
  {
    from: 'electron/',
    never: /^(?:renderer|server|tests)\//,
    because: 'the desktop app and the server communicate only over HTTP, the main process and the window only over IPC',
  },
  {
    from: 'server/',
    never: /^(?:renderer|electron|tests)(?:\/|$)/,
    because: 'the server is deployed without the desktop app',
  },
  {
    from: 'electron/licensing/',
    never: /^(?!shared\/|electron\/licensing\/|zod$|latchkey-client$)/,
    because: 'the licensing client is embedded elsewhere: all it needs from a machine is a port',
  },
  {
    from: 'electron/preload.ts',
    never: /^(?!shared\/ipc\/|electron$)/,
    because: 'a sandboxed preload may require electron only, and zod would make it 160 kB',
  },
  {
    from: 'shared/ipc/channels.ts',
    never: /./,
    because: 'the preload bundles it, and must stay free of zod',
  },
  {
    from: 'electron/',
    except: ['electron/host/'],
    never: /^electron\/host\//,
    because: 'the host replaces Electron; code that depends on it would run in the host only',
  },
  {
    from: 'electron/platform/',
    never: /^electron\/(?:ipc|windows|host)\//,
    because: 'the ports are implemented for the licensing client and know nothing of windows',
  },
  {
    from: 'electron/package/',
    never: /^electron\/(?!package\/|licensing\/|platform\/|opening\/|ipc\/handle-command\.ts)/,
    because: 'the package is a thin layer over the client and its ports, and knows nothing of the desktop app',
  },
  {
    from: 'electron/package/',
    never:
      /^electron\/platform\/(?:app-updater|create-platform|node-fetch|plain-store|system-http|system-network)\.ts$/,
    because: 'undici, electron-store and electron-updater are larger than the rest of the package',
  },
  {
    from: 'electron/',
    except: ['electron/package/'],
    never: /^electron\/package\//,
    because: 'the package is for other apps: what the desktop app uses too is outside of it',
  },
  {
    from: 'electron/ipc/',
    never: /^electron\/(?:platform|host)\//,
    because: 'IPC checks the sender and the payload; what a command does is elsewhere',
  },
  // Features of the server: routes → own service → own repository → database. server-layers.ts defines the layers of
  // its folders.
  {
    from: 'server/',
    except: ['server/app.ts'],
    never: /\.routes\.ts$/,
    because: 'routes are registered by the composition root alone',
  },
  {
    from: 'server/',
    ofFiles: /\.repository\.ts$/,
    never: /\.service\.ts$/,
    because: 'calls go down: routes, service, repository, database',
  },
  {
    from: 'server/',
    never: (file) => new RegExp(`^(?!${firstFolders(file)}/).*\\.repository\\.ts$`),
    because: 'a service calls another feature through its service: no other feature uses its rows',
  },
];

/** Returns `server/auth` for `server/auth/auth.service.ts`. */
function firstFolders(file: string): string {
  return file.split('/', 2).join('/');
}
