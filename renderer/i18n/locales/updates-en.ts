/** The messages about updates of the app in English. */
export const updatesEn = {
  title: 'Updates',
  current: 'This is version {{version}}.',
  check: 'Check for updates',
  install: 'Install and restart',
  later: 'Later',
  download: 'Download in the browser',
  checkedAt: 'Last checked',
  available: 'Version {{version}} is available',
  availableText: 'Its publisher has signed it. Latchkey downloads it, installs it and restarts.',
  staged: 'Version {{version}} is downloaded. Latchkey restarts now.',
  installing: 'Downloading and installing…',
  featuresStop:
    'Your license includes versions released until {{date}}, and this one is newer. After the update, features stop working until you renew.',
  reason: {
    'up-to-date': 'This is the latest version.',
    'not-published': 'The server offers no updates.',
    unreachable: 'The server could not be reached.',
    refused: 'The server offers an update that the publisher of Latchkey has not signed. Nothing was installed.',
    'older-than-seen': 'The server offers an older version than before. Nothing was installed.',
    'not-for-this-platform': 'The latest version is not available for this system yet.',
    'not-rolled-out': 'A new version is being rolled out and will be offered to this device soon.',
    stopped: 'The publisher has paused the latest version.',
    'no-keys':
      'This copy of Latchkey cannot tell whether an update is genuine, so it installs none. Download the new version and verify the file on this screen.',
    'install-failed': 'The update was not installed. Latchkey continues with version {{version}}.',
    'system-package': 'This copy was installed as a system package. Install the new version with your package manager.',
    snap: 'This copy is a snap. Update it with “snap refresh latchkey”.',
    flatpak: 'This copy is a Flatpak. Update it with “flatpak update”.',
    portable: 'This is the portable edition. Download the new version and replace this one with it.',
    'not-packaged': 'This copy runs in a browser or from its source. Get the new version where you got this one.',
  },
};
