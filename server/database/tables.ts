/** All tables as Kysely sees them: times in milliseconds, booleans as 0 or 1, ids as UUID text. */
import type { billingEventStates, billingProviders } from '../../shared/api/admin/billing.ts';
import type { InstallerPlatform } from '../../shared/api/installer.ts';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { licenseStatuses, subscriptionStatuses } from '../../shared/api/subscription.ts';
import type { UpdateFileKind } from '../../shared/api/update-feed.ts';

/** A boolean, a type that SQLite does not have. */
type Flag = 0 | 1;

export type SubscriptionStatus = (typeof subscriptionStatuses)[number];
export type LicenseStatus = (typeof licenseStatuses)[number];
export type BillingProviderName = (typeof billingProviders)[number];
/** The providers that identify each subscription and customer; the operator's own system does not. */
export const paymentProviders = ['stripe', 'lemonsqueezy'] as const satisfies BillingProviderName[];
/** `account`: set by staff, as a trial or by the operator's own billing webhook; each replaces the one before. */
export type SubscriptionSource = 'account' | Exclude<BillingProviderName, 'webhook'>;
/** `outdated`: older than the last event that was applied to its subscription. */
export type BillingEventState = (typeof billingEventStates)[number];
type DeliveryState = 'pending' | 'delivered' | 'failed';
export type ReminderKind = 'license' | 'subscription';
/** `command`: an admin command. */
type ActorKind = 'user' | 'staff' | 'command' | 'provider' | 'server' | 'anonymous';

export type Tables = {
  /** Facts about the database itself, such as the fingerprint of its secrets. */
  meta: { name: string; value: string };

  migrations: { name: string; applied_at_ms: number };

  users: {
    id: string;
    /** As entered by the user, trimmed. */
    email: string;
    /** The email in lower case, used for comparisons. Unique. */
    email_key: string;
    full_name: string;
    /** PHC string, which includes the hash parameters; empty for an account without a password. */
    password_hash: string;
    created_at_ms: number;
    password_changed_at_ms: number;
    /** When a reader of the address confirmed it, or staff created the account with it; null if neither. */
    email_confirmed_at_ms: number | null;
    /**
     * The other member of staff, who may be gone, who set the password or knew the one it was changed with; null for
     * none.
     */
    password_set_by: string | null;
  };

  /** A session: all refresh tokens that descend from one sign-in. */
  sessions: {
    id: string;
    user_id: string;
    created_at_ms: number;
    /** Latest time at which it ends: with refresh tokens, up to a day after the newest one expires. */
    expires_at_ms: number;
    revoked_at_ms: number | null;
    /** The `User-Agent` of the client that signed in. */
    user_agent: string | null;
  };

  /** Sessions of the account page, which have a cookie instead of refresh tokens. */
  browser_sessions: {
    session_id: string;
    /** SHA-256 of the cookie, in hex. */
    token_hash: string;
    /** May lag behind by up to a minute. */
    last_used_at_ms: number;
  };

  refresh_tokens: {
    /** SHA-256, in hex. */
    token_hash: string;
    session_id: string;
    created_at_ms: number;
    expires_at_ms: number;
    /** When it was rotated; its successor is `successor_hash`. */
    used_at_ms: number | null;
    successor_hash: string | null;
    /** SHA-256 of the Idempotency-Key that it was rotated with. */
    idempotency_key_hash: string | null;
    /** The successor, encrypted under a key derived from this token. */
    encrypted_successor: string | null;
  };

  /** A network that an account has signed in from. */
  known_networks: {
    user_id: string;
    /** HMAC of account and network under a key derived from the pepper. */
    network_hash: string;
    last_used_at_ms: number;
  };

  signing_keys: {
    kid: string;
    purpose: 'access_token' | 'lease';
    algorithm: string;
    /** The private or secret key, encrypted under the master key. */
    encrypted_key: string;
    created_at_ms: number;
    /** The longest validity of anything that the key has signed. */
    longest_life_ms: number;
    /** Set once another key has replaced it: from then on it verifies nothing. */
    retired_at_ms: number | null;
    /**
     * True if it is already published, so that apps can be built with it, but signs nothing until the next rotation.
     */
    is_prepared: Flag;
  };

  plans: {
    id: string;
    name: string;
    max_devices: number;
    /** How many devices beyond its limit a license may be used on within 30 days. */
    new_devices_per_month: number;
    /** Lifetime of its leases in days; null for the server's setting. */
    lease_days: number | null;
    created_at_ms: number;
    updated_at_ms: number;
  };

  features: {
    name: string;
    /** Position in the list of features. Unique. */
    position: number;
    /** A JSON object with the text for each language. */
    title: string;
    does: string;
    hidden: Flag;
    /** True for a feature of the interface, which cannot be removed. */
    built_in: Flag;
    created_at_ms: number;
    updated_at_ms: number;
  };

  /** Features of a plan, by name. */
  plan_features: { plan: string; feature: string };

  /** Subscriptions of accounts. An account may have several; the best one counts, see `chooseSubscription`. */
  subscriptions: {
    id: string;
    user_id: string;
    /** Who set it. Unique together with `reference`. */
    source: SubscriptionSource;
    /** The provider's id of the subscription, or the account id if there is none. */
    reference: string;
    /** When the last event applied to it happened; null if no provider set it. */
    event_at_ms: number | null;
    /** True if staff have set another one since and no event came after that; then it does not count. */
    is_replaced: Flag;
    /**
     * True if only the email typed by the buyer links it to the account; then it never reduces what the account has
     * anyway.
     */
    by_typed_email: Flag;
    plan: string;
    /** The stored status. The one that users see also depends on `current_period_end_ms`. */
    status: SubscriptionStatus;
    current_period_start_ms: number;
    current_period_end_ms: number;
    cancel_at_period_end: Flag;
    created_at_ms: number;
    updated_at_ms: number;
    /**
     * How long before its current end the last notice of the end was given, e.g. 7 days; null before the first notice.
     * Reset to null by any change of the end, or of whether notice is given.
     */
    noticed_lead_ms: number | null;
  };

  licenses: {
    id: string;
    /** HMAC-SHA-256 of the normalized key under the first pepper, in hex; hashed again under each later pepper. */
    key_hash: string;
    key_preview: string;
    /** Null until an account claims it. */
    user_id: string | null;
    plan: string;
    status: LicenseStatus;
    max_activations: number;
    expires_at_ms: number | null;
    /** Leases state that versions of the app released after this time are not included; null for no such limit. */
    updates_until_ms: number | null;
    /** True if it is valid only while its owner's subscription gives access. */
    with_subscription: Flag;
    created_at_ms: number;
    updated_at_ms: number;
    /**
     * How long before its current end the last notice of the end was given, e.g. 7 days, or 0 once `license.expired`
     * was sent; null before the first notice. Reset to null by any change of the end, or of whether notice is given.
     */
    noticed_lead_ms: number | null;
  };

  /** Activations of devices. A released one is kept as history, with `released_at_ms`. */
  activations: {
    id: string;
    license_id: string;
    device_id: string;
    device_name: string;
    platform: string;
    activated_at_ms: number;
    last_seen_at_ms: number;
    released_at_ms: number | null;
    /**
     * When its latest lease ends, until which it keeps its place; null without a lease, or if staff freed the place.
     */
    lease_expires_at_ms: number | null;
    /** When several installations last used the device at the same time; null if never. */
    several_installations_at_ms: number | null;
  };

  /** API keys. Each account has at most one that is not revoked. */
  api_keys: {
    id: string;
    user_id: string;
    /** SHA-256, in hex. */
    key_hash: string;
    key_prefix: string;
    is_legacy: Flag;
    /** A legacy key is valid until this time regardless of the subscription; null for any other key. */
    legacy_expires_at_ms: number | null;
    created_at_ms: number;
    revoked_at_ms: number | null;
    /** When it was revoked because somebody reported it as leaked. */
    reported_at_ms: number | null;
  };

  /** A response to a request with an Idempotency-Key, which may be repeated. */
  idempotent_responses: {
    user_id: string;
    /** Derived from the Idempotency-Key and the pepper. */
    idempotency_key_hash: string;
    /** The request and its response as JSON, encrypted under a key derived from the Idempotency-Key and the pepper. */
    encrypted_response: string;
    expires_at_ms: number;
  };

  /** Device activity: one row for each device, account, network and instance that sent heartbeats. */
  device_activity: {
    device_id: string;
    user_id: string;
    /** IPv4 /24 or IPv6 /48. */
    network: string;
    /** Id of the current run of the app; empty if the app sends none. */
    instance: string;
    first_seen_at_ms: number;
    last_seen_at_ms: number;
    heartbeats: number;
    /** How often it was seen again after another instance of the device. */
    returns: number;
  };

  /** The published installers; all rows have the same version. */
  installers: {
    platform: InstallerPlatform;
    version: string;
    hash: string;
    updated_at_ms: number;
  };

  /** An installer of any version that was published and not withdrawn. */
  known_installers: {
    /** `sha256:` and hex. */
    hash: string;
    platform: InstallerPlatform;
    version: string;
    published_at_ms: number;
  };

  /** A version in the update feed. */
  update_versions: {
    version: string;
    /** The share of devices that are offered it, 0 to 100. */
    percent: number;
    /** The manifest signed by the publisher, as a compact JWS. */
    manifest: string | null;
    /** The time in the manifest; without one, when it was published. */
    released_at_ms: number;
    published_at_ms: number;
  };

  /** A file of a version in the update feed; its bytes are in the data folder. */
  update_files: {
    version: string;
    name: string;
    kind: UpdateFileKind;
    bytes: number;
    /** In hex. */
    sha256: string;
    /** In base64. */
    sha512: string;
    /** The size of the block map at the end of the file, if it has one. */
    block_map_bytes: number | null;
  };

  /** An entry of the audit log. It refers to no rows, since it outlives the records that it names. */
  audit_events: {
    /** UUID version 7, which sorts entries by time. */
    id: string;
    at_ms: number;
    actor_kind: ActorKind;
    /** The name people know the actor by: an email or a name; empty for the server and for an unknown actor. */
    actor: string;
    /** `noun.verb` */
    action: string;
    target_kind: string;
    target_id: string;
    /** The name people know the target by: an email, a key preview, a name. */
    target_label: string;
    address: string | null;
    /** JSON object of plain values, without secrets. */
    details: string;
    /** The seal that contains it; null until it is sealed. */
    seal_id: number | null;
  };

  /** A link of the chain that reveals changes of the audit log, see `audit/audit-chain.rules.ts`. */
  audit_seals: {
    /** 1, 2, 3 … without gaps. */
    id: number;
    sealed_at_ms: number;
    /** Number of entries. */
    entries: number;
    /** One line per entry, in the order of their ids: the id and the digest. */
    digests: string;
    /** Hash of the previous seal; empty for the first one. */
    previous_hash: string;
    hash: string;
  };

  /** An event of a billing provider. Events that could not be applied yet are dead letters. */
  billing_events: {
    id: string;
    provider: BillingProviderName;
    /** The provider's event id. Unique for each provider. */
    event_id: string;
    type: string;
    state: BillingEventState;
    /** Why it is a dead letter. */
    reason: string | null;
    email: string | null;
    customer_id: string | null;
    /** The payment that it refunds. */
    payment_id: string | null;
    event_at_ms: number;
    received_at_ms: number;
    /** The request body, while the event is a dead letter. */
    payload: string | null;
  };

  /** A customer of a provider, for events that name only the customer. */
  billing_customers: {
    provider: BillingProviderName;
    customer_id: string;
    email: string | null;
    /** The time of the event that the email is from. */
    email_at_ms: number | null;
    /** The account that an event of the customer was applied to. */
    user_id: string | null;
  };

  /**
   * What a payment, charge or invoice belongs to according to its provider, so that its refund finds the subscription.
   */
  billing_payments: {
    provider: BillingProviderName;
    /** The provider's id of the payment, charge or invoice. */
    id: string;
    /** The payment or invoice that it is part of; null while unknown, and for an invoice. */
    belongs_to: string | null;
    /** The subscription that it is for; empty for none, null while unknown. */
    reference: string | null;
    customer_id: string | null;
    received_at_ms: number;
  };

  /**
   * What a provider's events say about one of its subscriptions, in whatever order they arrive, and the license issued
   * for it. May exist before the subscription does.
   */
  provider_subscriptions: {
    provider: BillingProviderName;
    /** The provider's id of the subscription. */
    reference: string;
    customer_id: string | null;
    /** The order that it was bought with, for providers that have orders. */
    order_id: string | null;
    /** The status in the last event that was applied; null if none was yet. A refund does not change it. */
    status: SubscriptionStatus | null;
    /** When that event happened. Kept when the account is deleted, so that no older event creates it again. */
    last_event_at_ms: number | null;
    /** The period of the same event; null if the provider does not state it. */
    period_start_ms: number | null;
    /** Time of the last refund. */
    refunded_at_ms: number | null;
    /** Time of the last payment. */
    paid_at_ms: number | null;
    license_id: string | null;
    /** True if a refund has suspended the license. */
    is_license_suspended: Flag;
  };

  /** A scheduled backup, or a failed attempt at one. */
  backups: {
    /** 1, 2, 3 … in the order in which they ended, regardless of the clock. */
    id: number;
    started_at_ms: number;
    /** Absolute path. */
    file: string;
    /** Null, like the other fields up to `proven_at_ms`, if the backup failed. */
    bytes: number | null;
    sha256: string | null;
    /** Null if it is not encrypted. */
    encryption: 'passphrase' | 'recipient' | null;
    row_count: number | null;
    /** When it had been restored for comparison and proven complete. */
    proven_at_ms: number | null;
    /** Why it failed. */
    problem: string | null;
  };

  /** The URLs that events are sent to. */
  webhook_endpoints: {
    id: string;
    url: string;
    /** `*` for all, otherwise the types, each with a space before and after it. */
    events: string;
    /** The signing key, encrypted under the master key. */
    encrypted_secret: string;
    created_at_ms: number;
    /** When it stopped receiving events. */
    disabled_at_ms: number | null;
    disabled_reason: string | null;
  };

  /** An event in the queue of an endpoint. Kept as history once it has ended. */
  event_deliveries: {
    /** UUID that sorts by time. */
    id: string;
    endpoint_id: string;
    /** Id of the event, the same for every endpoint. */
    event_id: string;
    type: string;
    at_ms: number;
    /** JSON object of plain values. */
    data: string;
    account_id: string | null;
    email: string | null;
    state: DeliveryState;
    attempts: number;
    next_attempt_at_ms: number;
    give_up_at_ms: number;
    last_attempt_at_ms: number | null;
    /** The status of the last response. */
    response_status: number | null;
    /** Why the last attempt got no response, or why there are no further attempts. */
    error: string | null;
    ended_at_ms: number | null;
  };

  /** Reminders that were sent, so that none is sent twice. Rows have no foreign key, and outlive their subject. */
  reminders: {
    kind: ReminderKind;
    /** Id of the license or subscription. */
    subject_id: string;
    ends_at_ms: number;
    /** How long before the end it was due. */
    lead_ms: number;
    at_ms: number;
  };

  /** An account that may use the admin page. */
  staff: { user_id: string; role: StaffRole; created_at_ms: number };

  /** A single-use link for choosing a password. */
  staff_links: {
    /** SHA-256, in hex. */
    token_hash: string;
    /** Null for the first administrator. */
    user_id: string | null;
    /** The owner who created the link and so knows it; null for an admin command. */
    created_by: string | null;
    created_at_ms: number;
    expires_at_ms: number;
  };

  staff_sessions: {
    id: string;
    /** SHA-256 of the cookie, in hex. */
    token_hash: string;
    user_id: string;
    created_at_ms: number;
    /** May lag behind by up to a minute. */
    last_used_at_ms: number;
    expires_at_ms: number;
    /** When the member last entered a password or used a passkey. */
    confirmed_at_ms: number;
    address: string;
    user_agent: string;
  };

  /** A WebAuthn credential. */
  passkeys: {
    /** base64url */
    credential_id: string;
    user_id: string;
    /** COSE, base64url. */
    public_key: string;
    counter: number;
    /** The names the browser gave, separated by commas. */
    transports: string;
    name: string;
    created_at_ms: number;
    last_used_at_ms: number | null;
    /** The origin of the page on which it was added: `https://licenses.example.com`. */
    origin: string;
  };

  /** Single-use sign-in challenges that have been used: passkey challenges and single sign-on attempts. */
  used_challenges: { challenge_hash: string; expires_at_ms: number };

  /** Row counts, updated in the background for large tables. */
  totals: { name: string; value: number; counted_at_ms: number };

  /** Counts of what happened on each day. */
  daily_counts: {
    /** In UTC, for example `2026-11-22`. */
    day: string;
    name: string;
    value: number;
  };

  /** A single-use token in a mailed link. */
  mail_tokens: {
    /** SHA-256, in hex. */
    token_hash: string;
    user_id: string;
    /** `set_password`: the first password of an account that somebody else created. */
    purpose: 'reset_password' | 'set_password' | 'confirm_email' | 'change_email';
    /** The address it was sent to. */
    email: string;
    /** The member of staff who created the link and has seen it; void once that member loses a role. Null for none. */
    created_by: string | null;
    created_at_ms: number;
    expires_at_ms: number;
  };

  /** A mail that is still to be sent; sent ones are deleted. */
  mails: {
    id: string;
    /** For example `reset_password`; waiting mails are counted by kind. */
    kind: string;
    /** Recipient and content, encrypted under a key derived from the master key. */
    encrypted_mail: string;
    /** If two have the same key, only the first is stored. */
    dedupe_key: string | null;
    created_at_ms: number;
    /** No process sends it before this time, nor before a mail with an earlier one. */
    next_try_at_ms: number;
    give_up_at_ms: number;
    tries: number;
  };

  /** How much mail a recipient has received recently. */
  mail_allowances: {
    /** SHA-256 of the address and the kinds of mail that share the allowance, in hex. */
    bucket_hash: string;
    /** When the allowance is fully available again. */
    used_until_ms: number;
  };
};

/** All table names, each after the tables that its rows refer to. */
export const tableOrder = [
  'meta',
  'migrations',
  'users',
  'sessions',
  'browser_sessions',
  'refresh_tokens',
  'known_networks',
  'signing_keys',
  'features',
  'plans',
  'plan_features',
  'subscriptions',
  'licenses',
  'activations',
  'api_keys',
  'idempotent_responses',
  'device_activity',
  'installers',
  'known_installers',
  'update_versions',
  'update_files',
  'audit_events',
  'audit_seals',
  'billing_events',
  'billing_customers',
  'billing_payments',
  'provider_subscriptions',
  'backups',
  'webhook_endpoints',
  'event_deliveries',
  'reminders',
  'staff',
  'staff_links',
  'staff_sessions',
  'passkeys',
  'used_challenges',
  'totals',
  'daily_counts',
  'mail_tokens',
  'mails',
  'mail_allowances',
] as const satisfies readonly (keyof Tables)[];

type MissingTable = Exclude<keyof Tables, (typeof tableOrder)[number]>;

/** Fails to compile if a table is missing from `tableOrder`. */
export const isTableOrderComplete: [MissingTable] extends [never] ? true : never = true;
