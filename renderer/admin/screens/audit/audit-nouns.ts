/** What the entries of the audit log are about: the first word of their actions. */
export const auditNouns = [
  'account',
  'license',
  'subscription',
  'api_key',
  'plan',
  'feature',
  'installer',
  'staff',
  'webhook',
  'billing',
  'backup',
  'key',
] as const;
