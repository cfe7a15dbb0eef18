/** Finds settings that contradict each other. */
import { isLoopback } from '../loopback.ts';
import type { SettingName, SettingValues } from './settings-table.ts';

type Contradiction = {
  /** The settings that the contradiction depends on. */
  readonly settings: readonly SettingName[];
  readonly isPresent: boolean;
  /** What to change. */
  readonly message: string;
};

/**
 * Returns one message for each contradiction. Those that depend on a setting that is itself wrong cannot be determined
 * and are left out.
 */
export function findContradictions(
  texts: Readonly<Record<string, string | undefined>>,
  values: SettingValues,
  wrong: readonly SettingName[],
): string[] {
  return listContradictions(texts, values)
    .filter(({ settings, isPresent }) => isPresent && !settings.some((name) => wrong.includes(name)))
    .map(({ message }) => message);
}

/** True if traffic from other machines is encrypted, by the server's own TLS or by a proxy's. */
export function isProtected(values: SettingValues): boolean {
  return values.LATCHKEY_TLS_CERT !== undefined || values.LATCHKEY_TRUST_PROXY !== undefined;
}

const oidcSettings = [
  'LATCHKEY_OIDC_ISSUER',
  'LATCHKEY_OIDC_CLIENT_ID',
  'LATCHKEY_OIDC_CLIENT_SECRET',
  'LATCHKEY_OIDC_ROLES',
] as const satisfies readonly SettingName[];

function listContradictions(
  texts: Readonly<Record<string, string | undefined>>,
  values: SettingValues,
): readonly Contradiction[] {
  const { LATCHKEY_HOST: host } = values;
  const isReachable = !isLoopback(host);
  const sendsMail = values.LATCHKEY_SMTP_URL !== undefined;
  const needsPublicUrl = !values.LATCHKEY_PUBLIC_URL && (isReachable || values.LATCHKEY_TRUST_PROXY !== undefined);
  const missingOidc = oidcSettings.filter((name) => values[name] === undefined);
  const givenOidc = [...oidcSettings, 'LATCHKEY_OIDC_CLAIM' as const].filter((name) => texts[name] !== undefined);
  return [
    {
      settings: ['LATCHKEY_TLS_CERT', 'LATCHKEY_TLS_KEY'],
      isPresent: !values.LATCHKEY_TLS_CERT !== !values.LATCHKEY_TLS_KEY,
      message: 'LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY belong together: set both or neither',
    },
    {
      settings: ['LATCHKEY_TRIAL_DAYS', 'LATCHKEY_TRIAL_PLAN'],
      isPresent: texts.LATCHKEY_TRIAL_DAYS !== undefined && !values.LATCHKEY_TRIAL_PLAN,
      message: 'LATCHKEY_TRIAL_DAYS is set without LATCHKEY_TRIAL_PLAN: set the plan of the trial as well',
    },
    {
      settings: ['LATCHKEY_BACKUP_PASSPHRASE_FILE', 'LATCHKEY_BACKUP_RECIPIENT'],
      isPresent: !!values.LATCHKEY_BACKUP_PASSPHRASE_FILE && !!values.LATCHKEY_BACKUP_RECIPIENT,
      message: 'LATCHKEY_BACKUP_PASSPHRASE_FILE and LATCHKEY_BACKUP_RECIPIENT exclude each other: set one of them',
    },
    {
      settings: ['LATCHKEY_CONFIRM_EMAIL', 'LATCHKEY_SMTP_URL'],
      isPresent: values.LATCHKEY_CONFIRM_EMAIL && !sendsMail,
      message: 'LATCHKEY_CONFIRM_EMAIL is set without LATCHKEY_SMTP_URL: set the server that sends mail too',
    },
    {
      settings: ['LATCHKEY_SMTP_URL', 'LATCHKEY_PUBLIC_URL', 'LATCHKEY_TRUST_PROXY'],
      isPresent: sendsMail && needsPublicUrl,
      message: 'LATCHKEY_SMTP_URL is set without LATCHKEY_PUBLIC_URL: set it too, since mails contain links',
    },
    {
      settings: [...oidcSettings, 'LATCHKEY_OIDC_CLAIM'],
      isPresent: givenOidc.length > 0 && missingOidc.length > 0,
      message: `${givenOidc.join(', ')} set without ${missingOidc.join(', ')}: single sign-on needs them all`,
    },
    {
      settings: ['LATCHKEY_OIDC_ISSUER', 'LATCHKEY_PUBLIC_URL', 'LATCHKEY_TRUST_PROXY'],
      isPresent: values.LATCHKEY_OIDC_ISSUER !== undefined && needsPublicUrl,
      message:
        'LATCHKEY_OIDC_ISSUER is set without LATCHKEY_PUBLIC_URL: set it too, since the provider sends browsers back to it',
    },
    {
      settings: ['LATCHKEY_TLS_CERT', 'LATCHKEY_TRUST_PROXY', 'LATCHKEY_ALLOW_HTTP'],
      isPresent: isReachable && !isProtected(values) && !values.LATCHKEY_ALLOW_HTTP,
      message: `LATCHKEY_HOST is ${host}, which other machines can reach without encryption: set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY, or LATCHKEY_TRUST_PROXY for a proxy in front, or LATCHKEY_ALLOW_HTTP=1`,
    },
  ];
}
