/** German messages shared by the window and the admin page. */
import type { SharedMessages } from './shared-en.ts';

export const sharedDe: SharedMessages = {
  name: 'Latchkey',
  common: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    retry: 'Erneut versuchen',
    retryIn: 'Erneuter Versuch in {{seconds}} s möglich.',
    reload: 'Neu laden',
    loading: 'Wird geladen …',
    copyAll: 'Alles kopieren',
    copied: 'Kopiert.',
    details: 'Details',
    code: 'Code',
    requestId: 'Anfrage-ID',
    time: 'Uhrzeit',
    message: 'Meldung',
    justNow: 'gerade eben',
    fileProgress: '{{done}} von {{total}} · {{speed}}/s',
    fileStalled: '{{done}} von {{total}} · seit einer Weile kein Fortschritt',
  },

  credentials: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    fullName: 'Vollständiger Name',
    passwordHint: 'Mindestens {{least}} Zeichen. Gut geeignet sind mehrere Wörter hintereinander.',
    signIn: 'Anmelden',
    reveal: 'Eingabe anzeigen',
    hide: 'Eingabe verbergen',
    emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
    emailShape: 'Geben Sie eine E-Mail-Adresse wie ada@lab.org ein.',
    passwordMissing: 'Geben Sie Ihr Passwort ein.',
    passwordShort: 'Verwenden Sie mindestens {{least}} Zeichen.',
    passwordLong: 'Verwenden Sie höchstens {{most}} Zeichen.',
    passwordMalformed: 'Dieses Passwort enthält Zeichen, die nicht verwendet werden können.',
    passwordIsEmail: 'Das Passwort darf nicht die E-Mail-Adresse sein. Wählen Sie ein anderes.',
    passwordCommon: 'Dieses Passwort ist sehr weit verbreitet. Wählen Sie ein anderes.',
    forgot: 'Passwort vergessen?',
    forgotTitle: 'Neues Passwort festlegen',
    forgotText: 'Sie erhalten eine E-Mail mit einem Link, über den Sie ein neues Passwort festlegen.',
    forgotSend: 'Link senden',
    forgotSent:
      'Wenn es ein Konto für {{email}} gibt, ist eine E-Mail unterwegs. Der Link darin ist 30 Minuten gültig.',
  },

  secret: {
    copy: 'Kopieren',
    copyFailed: 'Der Browser hat das Kopieren nicht erlaubt. Markieren Sie den Text und kopieren Sie ihn selbst.',
    saved: 'Ich habe ihn gespeichert',
    clipboardCleared: 'Kopiert. Die Zwischenablage wird in einer Minute geleert.',
  },

  licenseStatus: { active: 'Aktiv', inactive: 'Gesperrt', revoked: 'Widerrufen', expired: 'Abgelaufen' },

  subscriptionStatus: {
    active: 'Aktiv',
    trialing: 'Testphase',
    past_due: 'Zahlung überfällig',
    canceled: 'Gekündigt',
    expired: 'Abgelaufen',
  },

  appearance: {
    appearance: 'Darstellung',
    theme: 'Erscheinungsbild',
    themeSystem: 'System',
    themeLight: 'Hell',
    themeDark: 'Dunkel',
    language: 'Sprache',
    languageSystem: 'System',
    languageNotLoaded: 'Latchkey konnte die Sprache „{{language}}“ nicht laden.',
  },

  plans: { free: 'Free', standard: 'Standard', advanced: 'Advanced' },

  installerPlatform: { windows_x64: 'Windows (x64)', macos_arm64: 'macOS (Apple-Chip)', linux_amd64: 'Linux (x64)' },

  palette: {
    title: 'Befehle durchsuchen',
    field: 'Befehle durchsuchen',
    open: 'Suchen',
    none: 'Keine passenden Befehle.',
    goTo: 'Gehe zu: {{page}}',
    theme: 'Erscheinungsbild: {{theme}}',
    withCtrl: 'Strg+{{key}}',
    withCommand: '⌘{{key}}',
  },

  respondedInstead: {
    'web-page':
      'Statt des Servers hat eine Webseite geantwortet. Möglicherweise müssen Sie sich bei Ihrem Netzwerk anmelden: Öffnen Sie dazu einen Browser.',
    gateway:
      'Etwas vor dem Server hat mit dem Status {{status}} geantwortet. Möglicherweise ist der Server selbst außer Betrieb.',
    redirect:
      'Die Anfrage wurde umgeleitet: Etwas vor dem Server, etwa die Anmeldung Ihrer Organisation, verlangt eine erneute Anmeldung. Öffnen Sie diese Seite in einem anderen Tab, melden Sie sich dort an und versuchen Sie es hier noch einmal.',
  },

  networkProblem: {
    name: 'Der Name des Servers wurde nicht gefunden.',
    certificate: 'Dieser Computer vertraut dem Zertifikat des Servers nicht.',
    proxy: 'Der Proxy Ihres Netzwerks hat keine Verbindung zum Server hergestellt.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet.',
    refused: 'Unter dieser Adresse nimmt nichts Verbindungen an. Möglicherweise läuft der Server nicht.',
    offline: 'Dieser Computer ist mit keinem Netzwerk verbunden.',
  },

  failure: {
    INVALID_CREDENTIALS: {
      what: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      help: 'Prüfen Sie beides und versuchen Sie es erneut.',
    },
    VALIDATION_ERROR: {
      what: 'Ihre Eingabe ist ungültig.',
      help: 'Ändern Sie sie und versuchen Sie es erneut.',
    },
    RATE_LIMITED: {
      what: 'Zu viele Versuche in kurzer Zeit.',
      help: 'Warten Sie einen Moment und versuchen Sie es dann erneut.',
    },
    PAYLOAD_TOO_LARGE: {
      what: 'Ihre Eingabe ist zu lang.',
      help: 'Kürzen Sie sie und versuchen Sie es erneut.',
    },
    SERVICE_UNAVAILABLE: {
      what: 'Der Server ist ausgelastet oder startet gerade neu.',
      help: 'Versuchen Sie es gleich noch einmal.',
    },
    INTERNAL_ERROR: {
      what: 'Auf dem Server ist ein Fehler aufgetreten.',
      help: 'Versuchen Sie es erneut. Wenn das Problem bestehen bleibt, senden Sie die Details an die Serveradministration.',
    },
    CODE_NOT_LOADED: {
      what: 'Ein Teil von Latchkey konnte nicht geladen werden.',
      help: 'Möglicherweise wurde es inzwischen aktualisiert. Laden Sie neu, und wenn das nicht hilft, starten Sie Latchkey neu.',
    },
    CANCELED: { what: 'Abgebrochen.', help: 'Sie können jederzeit erneut beginnen.' },
    FORBIDDEN: { what: 'Ihre Rolle erlaubt das nicht.', help: 'Wenden Sie sich an jemanden, dessen Rolle es erlaubt.' },
    CONFIRMATION_REQUIRED: {
      what: 'Das muss bestätigt werden.',
      help: 'Bestätigen Sie es mit Ihrem Passwort oder einem Passkey.',
    },
    CONFLICT: {
      what: 'Das ist im Moment nicht möglich.',
      help: 'Inzwischen hat sich vielleicht etwas geändert. Laden Sie die Seite neu und sehen Sie noch einmal nach.',
    },
    other: {
      what: 'Der Server hat die Anfrage abgelehnt.',
      help: 'Wenn das Problem bestehen bleibt, senden Sie die Details an die Serveradministration.',
    },
  },
};
