/** All tables as Kysely sees them: times in milliseconds, booleans as 0 or 1, ids as UUID text. */
import type { InstallerPlatform } from '../../shared/api/installer.ts';
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { UpdateFileKind } from '../../shared/api/update-feed.ts';

/** SQLite has no booleans. */
export type Flag = 0 | 1;

export type SubscriptionStatus = 'trialing' | 'active' | 'past_due' | 'canceled' | 'expired';
export type LicenseStatus = 'active' | 'inactive' | 'revoked' | 'expired';
export type BillingProviderName = 'webhook' | 'stripe' | 'lemonsqueezy';
/** `account`: set by staff, as a trial or by the operator's own billing webhook, each in place of what was there. */
export type SubscriptionSource = 'account' | Exclude<BillingProviderName, 'webhook'>;
/** `outdated`: older than the last one that was applied to its subscription. */
export type BillingEventState = 'applied' | 'outdated' | 'ignored' | 'dead_letter';
export type DeliveryState = 'pending' | 'delivered' | 'failed';
export type ReminderKind = 'license' | 'subscription';
/** `staff` includes commands. */
export type ActorKind = 'user' | 'staff' | 'command' | 'provider' | 'server' | 'anonymous';

export type Tables = {
  /** Facts about the database itself, such as the fingerprint of its secrets. */
  meta: { name: string; value: string };

  migrations: { name: string; applied_at_ms: number };

  users: {
    id: string;
    /** As the user entered it, trimmed. */
    email: string;
    /** The email in lower case, which comparisons use. Unique. */
    email_key: string;
    full_name: string;
    /** A PHC string, which includes the parameters of the hash; empty for an account without a password. */
    password_hash: string;
    created_at_ms: number;
    password_changed_at_ms: number;
    /** When somebody who reads mail to the address proved it, or staff who created the account vouched for it; null if nobody has. */
    email_confirmed_at_ms: number | null;
    /** When support set the password, or one that was changed with its knowledge since; null if somebody else did. */
    support_set_password_at_ms: number | null;
  };

  /** A session: all refresh tokens that descend from one sign-in. */
  sessions: {
    id: string;
    user_id: string;
    created_at_ms: number;
    /** When it has ended at the latest: with refresh tokens, up to a day after the newest one expires. */
    expires_at_ms: number;
    revoked_at_ms: number | null;
    /** Of the client that signed in. */
    user_agent: string | null;
  };

  /** The sessions of the account page, which have a cookie in place of refresh tokens. */
  browser_sessions: {
    session_id: string;
    /** SHA-256 of the cookie, hex. */
    token_hash: string;
    /** Up to a minute ago. */
    last_used_at_ms: number;
  };

  refresh_tokens: {
    /** SHA-256, hex. */
    token_hash: string;
    session_id: string;
    created_at_ms: number;
    expires_at_ms: number;
    /** When it was rotated; its successor is `successor_hash`. */
    used_at_ms: number | null;
    successor_hash: string | null;
    /** SHA-256 of the Idempotency-Key that it was rotated with. */
    idempotency_key_hash: string | null;
    /** The successor, encrypted under a key derived from this token itself. */
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
    /** Of all that it signed, what is valid for the longest time. */
    longest_life_ms: number;
    /** Set once another key has replaced it: from this time on it verifies nothing. */
    retired_at_ms: number | null;
    /** Published already, so that apps can be built with it, and signs nothing until the next rotation. */
    is_prepared: Flag;
  };

  plans: {
    id: string;
    name: string;
    max_devices: number;
    /** How many devices beyond its limit a license may be used on in 30 days. */
    new_devices_per_month: number;
    /** How many days its leases last; null for as many as the server's setting says. */
    lease_days: number | null;
    created_at_ms: number;
    updated_at_ms: number;
  };

  features: {
    name: string;
    /** Where it comes when features are listed. Unique. */
    position: number;
    /** By language, as JSON. */
    title: string;
    does: string;
    hidden: Flag;
    /** Whether it is one of the interface's, which cannot be removed. */
    built_in: Flag;
    created_at_ms: number;
    updated_at_ms: number;
  };

  /** The features that a plan has, by names. */
  plan_features: { plan: string; feature: string };

  /** An account may have several: the best one counts, see `chooseSubscription`. */
  subscriptions: {
    id: string;
    user_id: string;
    /** Who set it. Unique together with `reference`. */
    source: SubscriptionSource;
    /** The provider's id of the subscription; where there is none, the id of the account. */
    reference: string;
    /** When the last event that was applied to it happened; null where no provider set it. */
    event_at_ms: number | null;
    /** Whether staff have set another one since, and no event came after that: then it does not count. */
    is_replaced: Flag;
    /** Whether only the email that its buyer typed says whose it is: then it never takes away what the account has without it. */
    by_typed_email: Flag;
    plan: string;
    /** As set. The status that users see also depends on `current_period_end_ms`. */
    status: SubscriptionStatus;
    current_period_start_ms: number;
    current_period_end_ms: number;
    cancel_at_period_end: Flag;
    created_at_ms: number;
    updated_at_ms: number;
    /**
     * How long before its present end the last notice of that was given, as in 7 days; null before the first one. What changes the
     * end, or whether notice is given, sets it to null.
     */
    noticed_lead_ms: number | null;
  };

  licenses: {
    id: string;
    /** HMAC-SHA-256 of the normalized key under the first pepper, hex; hashed again under each later one. */
    key_hash: string;
    key_preview: string;
    /** Null until an account claims it. */
    user_id: string | null;
    plan: string;
    status: LicenseStatus;
    max_activations: number;
    expires_at_ms: number | null;
    /** Leases say that versions of the app which were released later are not included; null for no such end. */
    updates_until_ms: number | null;
    /** Whether it is valid only while its owner's subscription gives access. */
    with_subscription: Flag;
    created_at_ms: number;
    updated_at_ms: number;
    /**
     * How long before its present end the last notice of that was given, as in 7 days, and 0 once `license.expired` was sent; null
     * before the first one. What changes the end, or whether notice is given, sets it to null.
     */
    noticed_lead_ms: number | null;
  };

  /** A released activation stays as history, with `released_at_ms`. */
  activations: {
    id: string;
    license_id: string;
    device_id: string;
    device_name: string;
    platform: string;
    activated_at_ms: number;
    last_seen_at_ms: number;
    released_at_ms: number | null;
    /** When its latest lease ends; null if it never had one, or if staff freed its place. Until then it keeps its place. */
    lease_expires_at_ms: number | null;
    /** When several installations last used the device at a time; null if that was never seen. */
    several_installations_at_ms: number | null;
  };

  /** Each account has at most one that is not revoked. */
  api_keys: {
    id: string;
    user_id: string;
    /** SHA-256, hex. */
    key_hash: string;
    key_prefix: string;
    is_legacy: Flag;
    /** Until this time a legacy key is valid regardless of the subscription. */
    legacy_expires_at_ms: number | null;
    created_at_ms: number;
    revoked_at_ms: number | null;
    /** When it was revoked because somebody reported that it had leaked. */
    reported_at_ms: number | null;
  };

  /** A response of `POST /metrics/api-key` that may be requested again. */
  api_key_responses: {
    user_id: string;
    /** Derived from the Idempotency-Key and the pepper. */
    idempotency_key_hash: string;
    regenerate: Flag;
    /** JSON, encrypted under a key derived from the Idempotency-Key and the pepper. */
    encrypted_response: string;
    expires_at_ms: number;
  };

  /** Device activity: one row for each device, account and network that sent heartbeats. */
  device_activity: {
    device_id: string;
    user_id: string;
    /** IPv4 /24 or IPv6 /48. */
    network: string;
    /** What the app names this start of itself; empty for an app that does not. */
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

  /** An installer that was published and not withdrawn, of any version. */
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
    /** Of the devices that are offered it, 0 to 100. */
    percent: number;
    /** What the publisher has signed, as a compact JWS. */
    manifest: string | null;
    /** As the manifest says, else when it was published. */
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
    /** Of the block map at the end of the file, if it has one. */
    block_map_bytes: number | null;
  };

  /** An entry of the audit log. Neither it nor what it names refers to a row: it outlives the records. */
  audit_events: {
    /** A UUID of version 7, which sorts entries by their time. */
    id: string;
    at_ms: number;
    actor_kind: ActorKind;
    /** As people know the actor: an email or a name; empty for the server and for somebody unknown. */
    actor: string;
    /** `noun.verb` */
    action: string;
    target_kind: string;
    target_id: string;
    /** As people know the target: an email, a key preview, a name. */
    target_label: string;
    address: string | null;
    /** A JSON object of plain values, without secrets. */
    details: string;
    /** The seal that has it; null until it is sealed. */
    seal_id: number | null;
  };

  /** A link of the chain that shows changes of the audit log, see `audit/audit-chain.rules.ts`. */
  audit_seals: {
    /** 1, 2, 3 … without a gap. */
    id: number;
    sealed_at_ms: number;
    /** How many entries it has. */
    entries: number;
    /** A line for each entry, in the order of their ids: the id and the digest. */
    digests: string;
    /** That of the seal before; empty for the first one. */
    previous_hash: string;
    hash: string;
  };

  /** An event of a billing provider. Those that could not be applied yet are dead letters. */
  billing_events: {
    id: string;
    provider: BillingProviderName;
    /** The provider's. Unique for each provider. */
    event_id: string;
    type: string;
    state: BillingEventState;
    /** Why it is a dead letter. */
    reason: string | null;
    email: string | null;
    customer_id: string | null;
    /** The payment that it gives back. */
    payment_id: string | null;
    event_at_ms: number;
    received_at_ms: number;
    /** The body of the request, while it is a dead letter. */
    payload: string | null;
  };

  /** A customer of a provider, for events that name the customer only. */
  billing_customers: {
    provider: BillingProviderName;
    customer_id: string;
    email: string | null;
    /** Of the event that the email is from. */
    email_at_ms: number | null;
    /** The account that an event of the customer was applied to. */
    user_id: string | null;
  };

  /** What a provider says a payment, a charge or an invoice belongs to, so that its refund finds the subscription. */
  billing_payments: {
    provider: BillingProviderName;
    /** The provider's id of the payment, the charge or the invoice. */
    id: string;
    /** The payment or invoice that it is part of; null while it is not known, and for an invoice. */
    belongs_to: string | null;
    /** The subscription that it is for; empty for none, null while it is not known. */
    reference: string | null;
    customer_id: string | null;
    received_at_ms: number;
  };

  /**
   * What the events of a provider say of one of its subscriptions, in whatever order they arrive, and the license that was
   * issued for it. It may be there before the subscription.
   */
  provider_subscriptions: {
    provider: BillingProviderName;
    /** The provider's id of the subscription. */
    reference: string;
    customer_id: string | null;
    /** The order that it was bought with, where the provider has orders. */
    order_id: string | null;
    /** As the last event that was applied says; null where there was none yet. A refund does not change it. */
    status: SubscriptionStatus | null;
    /** When that event happened. It stays when the account is deleted, so that no older event makes it again. */
    last_event_at_ms: number | null;
    /** Of the same event; null where the provider does not say it. */
    period_start_ms: number | null;
    /** When a payment was last given back. */
    refunded_at_ms: number | null;
    /** When it was last paid. */
    paid_at_ms: number | null;
    license_id: string | null;
    /** Whether a refund has suspended the license. */
    is_license_suspended: Flag;
  };

  /** A backup that the server took on its schedule, or one that failed. */
  backups: {
    /** 1, 2, 3 … in the order in which they ended, whatever the clock said. */
    id: number;
    started_at_ms: number;
    /** The absolute path. */
    file: string;
    /** This and what follows is null if it failed. */
    bytes: number | null;
    sha256: string | null;
    /** Null if it is not encrypted. */
    encryption: 'passphrase' | 'recipient' | null;
    row_count: number | null;
    /** When it had been restored and compared. */
    proven_at_ms: number | null;
    /** Why it failed. */
    problem: string | null;
  };

  /** Where events are sent to. */
  webhook_endpoints: {
    id: string;
    url: string;
    /** `*` for all, otherwise the types with a space before and after each. */
    events: string;
    /** The key of its signatures, encrypted under the master key. */
    encrypted_secret: string;
    created_at_ms: number;
    /** From then on it gets no events. */
    disabled_at_ms: number | null;
    disabled_reason: string | null;
  };

  /** An event in the queue of an endpoint. It stays as history once it has ended. */
  event_deliveries: {
    /** A UUID that sorts by time. */
    id: string;
    endpoint_id: string;
    /** The same for every endpoint. */
    event_id: string;
    type: string;
    at_ms: number;
    /** A JSON object of plain values. */
    data: string;
    account_id: string | null;
    email: string | null;
    state: DeliveryState;
    attempts: number;
    next_attempt_at_ms: number;
    give_up_at_ms: number;
    last_attempt_at_ms: number | null;
    /** Of the last response. */
    response_status: number | null;
    /** Why the last attempt had no response, or why there are no more attempts. */
    error: string | null;
    ended_at_ms: number | null;
  };

  /** That somebody was reminded of an end, so that nobody is reminded twice. It refers to no row, and outlives the subject. */
  reminders: {
    kind: ReminderKind;
    /** The id of the license or subscription. */
    subject_id: string;
    ends_at_ms: number;
    /** How long before the end it was due. */
    lead_ms: number;
    at_ms: number;
  };

  /** An account that may use the admin page. */
  staff: { user_id: string; role: StaffRole; created_at_ms: number };

  /** A link for one use, with which somebody chooses a password. */
  staff_links: {
    /** SHA-256, hex. */
    token_hash: string;
    /** Null for the first administrator. */
    user_id: string | null;
    /** The owner who has made it, and so knows it; null for an admin command. */
    created_by: string | null;
    created_at_ms: number;
    expires_at_ms: number;
  };

  staff_sessions: {
    id: string;
    /** SHA-256 of the cookie, hex. */
    token_hash: string;
    user_id: string;
    created_at_ms: number;
    /** Up to a minute ago. */
    last_used_at_ms: number;
    expires_at_ms: number;
    /** When the member last gave a password or passkey. */
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
    /** As the browser named them, separated by commas. */
    transports: string;
    name: string;
    created_at_ms: number;
    last_used_at_ms: number | null;
    /** Of the page on which it was added: `https://licenses.example.com`. */
    origin: string;
  };

  /** What a browser was given to sign in with once, and has used: challenges of passkeys, attempts of single sign-on. */
  used_challenges: { challenge_hash: string; expires_at_ms: number };

  /** Numbers of rows, counted in the background where there are many. */
  totals: { name: string; value: number; counted_at_ms: number };

  /** What happened on each day. */
  daily_counts: {
    /** In UTC, such as `2026-11-22`. */
    day: string;
    name: string;
    value: number;
  };

  /** A token in a link that was mailed, for one use. */
  mail_tokens: {
    /** SHA-256, hex. */
    token_hash: string;
    user_id: string;
    /** `set_password`: the first one, of an account that somebody else caused. */
    purpose: 'reset_password' | 'set_password' | 'confirm_email' | 'change_email';
    /** Where it was sent to. */
    email: string;
    created_at_ms: number;
    expires_at_ms: number;
  };

  /** A mail that is still to be sent; sent ones are deleted. */
  mails: {
    id: string;
    /** Such as `reset_password`, by which waiting mails are counted. */
    kind: string;
    /** What it says and to whom, encrypted under a key derived from the master key. */
    encrypted_mail: string;
    /** Of two with the same one only the first is stored. */
    dedupe_key: string | null;
    created_at_ms: number;
    /** No process sends it before this time. */
    next_try_at_ms: number;
    give_up_at_ms: number;
    tries: number;
  };

  /** How much a recipient has got by mail lately. */
  mail_allowances: {
    /** SHA-256 of the address and of the kinds of mail that share the allowance, hex. */
    bucket_hash: string;
    /** The allowance is whole again at this time. */
    used_until_ms: number;
  };
};

/** Every table name, each after the tables that its rows refer to. */
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
  'api_key_responses',
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

/** Does not compile while a table is missing in `tableOrder`. */
export const isTableOrderComplete: [MissingTable] extends [never] ? true : never = true;
