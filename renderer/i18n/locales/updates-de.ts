/** German messages about app updates. */
import type { updatesEn } from './updates-en.ts';

export const updatesDe: typeof updatesEn = {
  title: 'Updates',
  current: 'Das ist Version {{version}}.',
  check: 'Nach Updates suchen',
  install: 'Installieren und neu starten',
  later: 'Später',
  whatsNew: 'Neuerungen',
  updated: 'Latchkey wurde auf Version {{version}} aktualisiert',
  updatedFrom: 'Vorher war es Version {{version}}.',
  download: 'Im Browser herunterladen',
  checkedAt: 'Zuletzt gesucht',
  available: 'Version {{version}} ist verfügbar',
  availableText: 'Sie ist vom Herausgeber signiert. Latchkey lädt sie herunter, installiert sie und startet neu.',
  staged: 'Version {{version}} ist heruntergeladen. Latchkey startet jetzt neu.',
  installing: 'Wird heruntergeladen und installiert …',
  downloading: 'Wird heruntergeladen',
  featuresStop:
    'Ihre Lizenz umfasst Versionen, die bis {{date}} erschienen sind; diese ist neuer. Nach dem Update sind Funktionen abgeschaltet, bis Sie verlängern.',
  reason: {
    'up-to-date': 'Sie haben die neueste Version.',
    'not-published': 'Der Server bietet keine Updates an.',
    unreachable: 'Der Server ist nicht erreichbar.',
    refused:
      'Der Server bietet ein Update an, das der Herausgeber von Latchkey nicht signiert hat. Es wurde nichts installiert.',
    'older-than-seen': 'Der Server bietet eine ältere Version an als zuvor. Es wurde nichts installiert.',
    'not-for-this-platform': 'Die neueste Version ist für dieses System noch nicht verfügbar.',
    'not-rolled-out': 'Eine neue Version wird nach und nach verteilt und diesem Gerät bald angeboten.',
    stopped: 'Der Herausgeber hat die Verteilung der neuesten Version angehalten.',
    'no-keys':
      'Dieses Latchkey kann nicht feststellen, ob ein Update echt ist, und installiert deshalb keines. Laden Sie die neue Version herunter und prüfen Sie die Datei auf dieser Seite.',
    'install-failed': 'Das Update wurde nicht installiert. Latchkey läuft mit Version {{version}} weiter.',
    'system-package':
      'Dieses Latchkey wurde als Systempaket installiert. Installieren Sie die neue Version mit Ihrer Paketverwaltung.',
    snap: 'Dieses Latchkey ist ein Snap. Aktualisieren Sie es mit „snap refresh latchkey“.',
    flatpak: 'Dieses Latchkey ist ein Flatpak. Aktualisieren Sie es mit „flatpak update“.',
    portable: 'Das ist die portable Ausgabe. Laden Sie die neue Version herunter und ersetzen Sie diese damit.',
    'not-packaged':
      'Dieses Latchkey läuft im Browser oder aus dem Quelltext. Sie erhalten die neue Version dort, wo Sie diese erhalten haben.',
  },
};
