/** English messages shared by the window and the admin page; the other languages have the same keys. */

export const sharedEn = {
  name: 'Latchkey',
  common: {
    cancel: 'Cancel',
    close: 'Close',
    retry: 'Try again',
    retryIn: 'Try again in {{seconds}} s.',
    reload: 'Reload',
    loading: 'Loading…',
    copyAll: 'Copy all',
    copied: 'Copied.',
    details: 'Details',
    code: 'Code',
    requestId: 'Request ID',
    time: 'Time',
    message: 'Message',
    justNow: 'just now',
    fileProgress: '{{done}} of {{total}} · {{speed}}/s',
    fileStalled: '{{done}} of {{total}} · no progress for a while',
  },

  credentials: {
    email: 'Email',
    password: 'Password',
    fullName: 'Full name',
    passwordHint: 'Use at least {{least}} characters. A few words together work well.',
    signIn: 'Sign in',
    reveal: 'Show characters',
    hide: 'Hide characters',
    emailMissing: 'Enter your email address.',
    emailShape: 'Enter an email address such as ada@lab.org.',
    passwordMissing: 'Enter your password.',
    passwordShort: 'Use at least {{least}} characters.',
    passwordLong: 'Use at most {{most}} characters.',
    passwordMalformed: 'This password contains characters that cannot be used.',
    passwordIsEmail: 'The password must not be the email address. Choose another one.',
    passwordCommon: 'This password is one of the most common ones. Choose another one.',
    forgot: 'Forgot password?',
    forgotTitle: 'Set a new password',
    forgotText: 'You get an email with a link to set a new password.',
    forgotSend: 'Send link',
    forgotSent: 'If there is an account for {{email}}, an email is on its way. Its link works for 30 minutes.',
  },

  secret: {
    copy: 'Copy',
    copyFailed: 'The browser did not allow copying. Select the text and copy it yourself.',
    saved: 'I have saved it',
    clipboardCleared: 'Copied. The clipboard is cleared in one minute.',
  },

  licenseStatus: { active: 'Active', inactive: 'Suspended', revoked: 'Revoked', expired: 'Expired' },

  subscriptionStatus: {
    active: 'Active',
    trialing: 'Trial',
    past_due: 'Past due',
    canceled: 'Canceled',
    expired: 'Expired',
  },

  appearance: {
    appearance: 'Appearance',
    theme: 'Theme',
    themeSystem: 'System',
    themeLight: 'Light',
    themeDark: 'Dark',
    language: 'Language',
    languageSystem: 'System',
    languageNotLoaded: 'Latchkey could not load the language {{language}}.',
  },

  plans: { free: 'Free', standard: 'Standard', advanced: 'Advanced' },

  installerPlatform: { windows_x64: 'Windows (x64)', macos_arm64: 'macOS (Apple silicon)', linux_amd64: 'Linux (x64)' },

  palette: {
    title: 'Search commands',
    field: 'Search commands',
    open: 'Search',
    none: 'No matching commands.',
    goTo: 'Go to {{page}}',
    theme: 'Theme: {{theme}}',
    withCtrl: 'Ctrl+{{key}}',
    withCommand: '⌘{{key}}',
  },

  respondedInstead: {
    'web-page': 'A web page responded in place of the server. Your network may require you to sign in: open a browser.',
    gateway: 'Something in front of the server responded with status {{status}}, so the server itself may be down.',
    redirect:
      'The request was redirected: something in front of the server, such as the sign-in of your organization, wants you to sign in again. Open this page in another tab, sign in there, then try again here.',
  },

  networkProblem: {
    name: 'The server’s name could not be found.',
    certificate: 'This computer does not trust the server’s certificate.',
    proxy: 'The proxy of your network did not connect to the server.',
    timeout: 'The server did not respond in time.',
    refused: 'Nothing accepts connections at this address, so the server may be stopped.',
    offline: 'This computer is not connected to a network.',
  },

  failure: {
    INVALID_CREDENTIALS: { what: 'The email or password is incorrect.', help: 'Check both and try again.' },
    VALIDATION_ERROR: { what: 'Something you entered is not valid.', help: 'Change it and try again.' },
    RATE_LIMITED: { what: 'Too many attempts in a short time.', help: 'Wait a moment, then try again.' },
    PAYLOAD_TOO_LARGE: { what: 'What you entered is too long.', help: 'Shorten it and try again.' },
    SERVICE_UNAVAILABLE: { what: 'The server is busy or restarting.', help: 'Try again in a moment.' },
    INTERNAL_ERROR: {
      what: 'Something went wrong on the server.',
      help: 'Try again. If this continues, send the details to the server administrator.',
    },
    CODE_NOT_LOADED: {
      what: 'Part of Latchkey could not be loaded.',
      help: 'It may have been updated in the meantime. Reload, and if that does not help, restart Latchkey.',
    },
    CANCELED: { what: 'Canceled.', help: 'You can start again at any time.' },
    FORBIDDEN: { what: 'Your role does not include this.', help: 'Ask somebody whose role does.' },
    CONFIRMATION_REQUIRED: { what: 'This has to be confirmed.', help: 'Confirm it with your password or a passkey.' },
    CONFLICT: {
      what: 'This is not possible at the moment.',
      help: 'Something may have changed in the meantime. Reload and look again.',
    },
    other: {
      what: 'The server rejected the request.',
      help: 'If this continues, send the details to the server administrator.',
    },
  },
};

/** Shape of the messages in every language. */
export type SharedMessages = typeof sharedEn;
