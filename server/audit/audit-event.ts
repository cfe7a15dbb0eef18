/** What the audit log records: who did what to which record, from where. */

/** Who acted. Users and staff members are accounts; their email is looked up if it is left out. */
export type Actor =
  | { readonly kind: 'user' | 'staff'; readonly id: string; readonly email?: string }
  /** An admin command. */
  | { readonly kind: 'command' }
  /** A billing provider. */
  | { readonly kind: 'provider'; readonly name: string }
  /** The server itself, for example one of its jobs. */
  | { readonly kind: 'server' }
  /** A client that did not prove its identity. */
  | { readonly kind: 'anonymous' };

/** On whose behalf a service is called. Services that write pass it on to the entries about their work. */
export type AuditContext = {
  readonly actor: Actor;
  /** The client's IP address. */
  readonly address?: string;
};

export type AuditAction =
  | 'account.create'
  | 'account.delete'
  | 'account.email_change'
  | 'account.email_change_request'
  | 'account.email_confirm'
  | 'account.export'
  | 'account.invite'
  | 'account.password_change'
  | 'account.password_reset'
  | 'account.password_reset_request'
  | 'account.sign_in'
  | 'account.sign_in_refused'
  | 'account.sign_out'
  | 'api_key.generate'
  | 'api_key.import'
  | 'api_key.regenerate'
  | 'api_key.report'
  | 'api_key.revoke'
  | 'audit.accept'
  | 'audit.cut'
  | 'backup.create'
  | 'backup.restore'
  | 'billing.apply'
  | 'billing.dismiss'
  | 'billing.reconcile'
  | 'billing.retry'
  | 'data.move'
  | 'feature.remove'
  | 'feature.set'
  | 'import.run'
  | 'installer.clear'
  | 'installer.publish'
  | 'installer.rollout'
  | 'installer.withdraw'
  | 'key.prepare'
  | 'key.rotate'
  | 'license.activate'
  | 'license.change'
  | 'license.expire'
  | 'license.issue'
  | 'license.lease'
  | 'license.reinstate'
  | 'license.release'
  | 'license.replace_key'
  | 'license.revoke'
  | 'license.send'
  | 'license.suspend'
  | 'plan.set'
  | 'refresh_token.reuse'
  | 'session.end'
  | 'staff.add'
  | 'staff.confirm'
  | 'staff.download'
  | 'staff.link'
  | 'staff.passkey_add'
  | 'staff.passkey_remove'
  | 'staff.refused'
  | 'staff.remove'
  | 'staff.session_end'
  | 'staff.sign_in'
  | 'staff.sign_in_refused'
  | 'subscription.change'
  | 'webhook.add'
  | 'webhook.disable'
  | 'webhook.remove'
  | 'webhook.replay';

/** The record that an action changed, or the list that was downloaded. */
export type AuditTarget = {
  readonly kind:
    | 'account'
    | 'api_key'
    | 'audit'
    | 'backup'
    | 'billing_event'
    | 'database'
    | 'feature'
    | 'installer'
    | 'key'
    | 'license'
    | 'list'
    | 'plan'
    | 'subscription'
    | 'webhook';
  /** Empty for a record that exists only once, and for an account that does not exist. */
  readonly id: string;
  /** The name people know it by, such as a key preview, or the account whose email is looked up. Never a secret. */
  readonly label: string | { readonly emailOf: string };
};

/** A few plain values, never a secret. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

export type AuditEvent = AuditContext & {
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details?: AuditDetails;
};

/** The context of an admin command. */
export const byCommand: AuditContext = { actor: { kind: 'command' } };

/** The context of what the server does on its own. */
export const byServer: AuditContext = { actor: { kind: 'server' } };

/** Returns the context of a client that has not proved its identity. */
export function byAnonymous(address: string): AuditContext {
  return { actor: { kind: 'anonymous' }, address };
}

/** Returns the context of a user's request. */
export function byUser(id: string, address: string): AuditContext {
  return { actor: { kind: 'user', id }, address };
}

/** Returns the id of the member of staff who acts; `undefined` for anybody else. */
export function staffIdOf({ actor }: AuditContext): string | undefined {
  return actor.kind === 'staff' ? actor.id : undefined;
}

export function accountTarget(userId: string): AuditTarget {
  return { kind: 'account', id: userId, label: { emailOf: userId } };
}

/** The target of a refusal if the account does not exist or is not known. */
export const unknownAccount: AuditTarget = { kind: 'account', id: '', label: '' };

export function licenseTarget({ id, key_preview }: { readonly id: string; readonly key_preview: string }): AuditTarget {
  return { kind: 'license', id, label: key_preview };
}
