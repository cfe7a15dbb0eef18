/** Subjects of audit log entries: the first word of their actions. */
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
