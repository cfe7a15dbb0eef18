/** The English messages of the tray, the menu, the notifications and the dialogs. */

export const en = {
  tray: {
    signedOut: 'Signed out',
    unusualActivity: 'Unusual activity on your device',
    works: 'Everything works',
    offline: 'Offline, everything works',
    offlineEnded: 'Offline for too long',
    waitingForLease: 'Waiting for the server',
    notActivated: 'This device is not activated',
    noLicense: 'No license',
    blocked: 'The license is not valid',
    unknown: 'Not checked yet',
    open: 'Open Latchkey',
    quit: 'Quit',
  },
  notifications: {
    warningTitle: 'License warning',
    blockedTitle: 'Latchkey',
    revoked: 'Your license was revoked.',
    expired: 'Your license has expired.',
    suspended: 'Your license is suspended.',
    'subscription-ended': 'Your subscription ended.',
    'not-found': 'The server no longer recognizes your license.',
  },
  menu: {
    about: 'About Latchkey',
    services: 'Services',
    hide: 'Hide Latchkey',
    hideOthers: 'Hide Others',
    showAll: 'Show All',
    quit: 'Quit Latchkey',
    file: 'File',
    exit: 'Exit',
    edit: 'Edit',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    delete: 'Delete',
    selectAll: 'Select All',
    view: 'View',
    actualSize: 'Actual Size',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fullScreen: 'Toggle Full Screen',
    reload: 'Reload',
    developerTools: 'Toggle Developer Tools',
    window: 'Window',
    minimize: 'Minimize',
    zoom: 'Zoom',
    bringToFront: 'Bring All to Front',
    close: 'Close',
  },
  dialogs: {
    chooseInstaller: 'Choose an installer file',
    verify: 'Verify',
    scanFolder: 'Choose a folder to check for keys',
    scanFile: 'Choose a file to check for keys',
    scan: 'Check',
    exportHistory: 'Export history',
    csvFiles: 'CSV files',
    exportAccount: 'Export my data',
    jsonFiles: 'JSON files',
  },
  recovery: {
    crashed: 'Latchkey’s window keeps closing unexpectedly',
    crashedDetail:
      'Its license checks continue in the background. You can load the window again, or quit Latchkey and start it later.',
    hangs: 'Latchkey’s window does not respond',
    hangsDetail: 'You can wait, or load it again. Nothing that is stored is lost.',
    wait: 'Wait',
    reload: 'Load again',
    quit: 'Quit Latchkey',
  },
  startup: {
    failed: 'Latchkey could not start',
    serverAddress:
      'The server address in LATCHKEY_SERVER_URL is not allowed. It must be an https address, or http for a server on this computer.',
  },
};

/** What every language has to say. */
export type Messages = {
  readonly [Section in keyof typeof en]: { readonly [Name in keyof (typeof en)[Section]]: string };
};
