/** Composes the services of all features, for the app and for the admin commands. */
import { join } from 'node:path';
import { AccountExportService } from './account-export/account-export.service.ts';
import { SnapshotCache } from './account-snapshots/snapshot-cache.ts';
import { AccountService } from './accounts/account.service.ts';
import type { EndSessions } from './accounts/account.ts';
import { AccountImportService } from './accounts/account-import.service.ts';
import { createAccountList } from './accounts/account-list.ts';
import { MailTokenService } from './accounts/mail-token.service.ts';
import { PasswordService } from './accounts/password.service.ts';
import { PasswordHasher } from './accounts/password-hasher.ts';
import { ActivationService } from './activations/activation.service.ts';
import { deviceList } from './activations/device-list.ts';
import { ApiKeyService } from './api-keys/api-key.service.ts';
import { ApiKeyAdminService } from './api-keys/api-key-admin.service.ts';
import { ApiKeyImportService } from './api-keys/api-key-import.service.ts';
import { apiKeyList } from './api-keys/api-key-list.ts';
import { ApiKeyReportService } from './api-keys/api-key-report.service.ts';
import { ApiKeyValidationService } from './api-keys/api-key-validation.service.ts';
import { auditList, auditRowList } from './audit/audit-list.ts';
import { AuditLogService } from './audit/audit-log.service.ts';
import { AuditRetentionService } from './audit/audit-retention.service.ts';
import { AuditSealingService } from './audit/audit-sealing.service.ts';
import { HeadStore } from './audit/head-store.ts';
import { AccessTokenService } from './auth/access-token.service.ts';
import { AccountDeletionService } from './auth/account-deletion.service.ts';
import { AuthService } from './auth/auth.service.ts';
import { BrowserSessionService } from './auth/browser-session.service.ts';
import { EmailChangeService } from './auth/email-change.service.ts';
import { EmailConfirmationService } from './auth/email-confirmation.service.ts';
import { InvitationService } from './auth/invitation.service.ts';
import { KnownNetworks } from './auth/known-networks.ts';
import { PasswordChangeService } from './auth/password-change.service.ts';
import { PasswordCheck } from './auth/password-check.ts';
import { PasswordResetService } from './auth/password-reset.service.ts';
import { Reauthentication } from './auth/reauthentication.ts';
import { RefreshTokenService } from './auth/refresh-token.service.ts';
import { SessionService } from './auth/session.service.ts';
import { BillingService } from './billing/billing.service.ts';
import { billingEventList } from './billing/billing-event-list.ts';
import { createBillingProviders } from './billing/billing-providers.ts';
import { CheckoutTokenService } from './billing/checkout-token.service.ts';
import { PaidLicenses } from './billing/paid-licenses.ts';
import { ReconciliationService } from './billing/reconciliation.service.ts';
import type { CommonDeps } from './common-deps.ts';
import { DatabaseList } from './database/database-list.ts';
import { createProbe } from './database/probe.ts';
import { EntitlementService } from './entitlements/entitlement.service.ts';
import { HeartbeatService } from './heartbeats/heartbeat.service.ts';
import { IdempotentResponseService } from './idempotency/idempotent-response.service.ts';
import { ImportService } from './import/import.service.ts';
import { InstallerService } from './installers/installer.service.ts';
import { KeyRotationService } from './keys/key-rotation.service.ts';
import { SigningKeyService } from './keys/signing-key.service.ts';
import { LeaseService } from './leases/lease.service.ts';
import { LicenseService } from './licenses/license.service.ts';
import { LicenseAdminService } from './licenses/license-admin.service.ts';
import { LicenseChangeService } from './licenses/license-change.service.ts';
import { LicenseImportService } from './licenses/license-import.service.ts';
import { LicenseKeyHasher } from './licenses/license-key-hash.ts';
import { LicenseKeyReplacementService } from './licenses/license-key-replacement.service.ts';
import { licenseList } from './licenses/license-list.ts';
import { MailComposerService } from './mail/mail-composer.service.ts';
import { MailQueueService } from './mail/mail-queue.service.ts';
import { IdentityProvider } from './oidc/identity-provider.ts';
import { SignInAttempts } from './oidc/sign-in-attempt.ts';
import { SingleSignOnService } from './oidc/single-sign-on.service.ts';
import { readPublisherKeys } from './own-package.ts';
import { FeatureService } from './plans/feature.service.ts';
import { PlanService } from './plans/plan.service.ts';
import { PolicyPreviewService } from './policy-preview/policy-preview.service.ts';
import { MemoryRateCounter } from './rate-limits/memory-rate-counter.ts';
import type { RateCounter } from './rate-limits/rate-counter.ts';
import { ReminderService } from './reminders/reminder.service.ts';
import { SecretRotationService } from './secret-rotation/secret-rotation.service.ts';
import type { StoredSecrets } from './secrets/secrets.ts';
import { PasskeyService } from './staff/passkey.service.ts';
import { PasskeyChallenges } from './staff/passkey-challenge.ts';
import { StaffAdminService } from './staff/staff-admin.service.ts';
import { StaffMembersService } from './staff/staff-members.service.ts';
import { StaffPasswordService } from './staff/staff-password.service.ts';
import { StaffSessionService } from './staff/staff-session.service.ts';
import { StaffSignInService } from './staff/staff-sign-in.service.ts';
import { StatisticsService } from './statistics/statistics.service.ts';
import { SubscriptionService } from './subscriptions/subscription.service.ts';
import { UpdateFeedService } from './updates/update-feed.service.ts';
import { UpdateFiles } from './updates/update-files.ts';
import { DeliveryService } from './webhooks/delivery.service.ts';
import { deliveryList } from './webhooks/delivery-list.ts';
import { createEndpointList } from './webhooks/endpoint-list.ts';
import { EventOutbox } from './webhooks/event-outbox.ts';
import { createSender, type SendEvent } from './webhooks/http-sender.ts';
import { WebhookService } from './webhooks/webhook.service.ts';

export type ServicesDeps = CommonDeps & {
  readonly secrets: StoredSecrets;
  /** By default argon2id. */
  readonly passwordHasher?: PasswordHasher;
  /** Sends one event to one endpoint; by default over HTTP. */
  readonly sendEvent?: SendEvent;
  /** Counts logins; by default in memory. */
  readonly rateCounter?: RateCounter;
};

export type Services = ReturnType<typeof createServices>;

/** Creates the services. Opens and reads nothing: each service uses the database only when it is called. */
export function createServices(deps: ServicesDeps) {
  const { config, clock, rateCounter: counter = new MemoryRateCounter({ clock }) } = deps;

  const auditLog = new AuditLogService(deps);
  const outbox = new EventOutbox(deps);
  const mailQueue = new MailQueueService(deps);
  const idempotentResponses = new IdempotentResponseService(deps);
  // Most services below depend on these. Each stage adds to the one before.
  const base = { ...deps, auditLog, outbox, mailQueue, idempotentResponses };

  const auditSealing = new AuditSealingService({ ...base, headStore: new HeadStore(config) });
  const webhooks = new WebhookService(base);
  const send = deps.sendEvent ?? createSender(config.allowsPrivateWebhooks);
  const installers = new InstallerService(base);
  const files = new UpdateFiles(join(config.dataFolder, 'updates'));
  const signingKeys = new SigningKeyService({ ...base, purpose: 'access_token', lifetimeMs: config.accessTokenTtlMs });
  const leaseKeys = new SigningKeyService({ ...base, purpose: 'lease', lifetimeMs: config.leaseTtlMs });
  const statistics = new StatisticsService(base);

  const accountSnapshots = new SnapshotCache(base);
  const plans = new PlanService(base);
  const features = new FeatureService({ ...base, plans });
  const subscriptions = new SubscriptionService({ ...base, plans });
  const licenseKeyHasher = new LicenseKeyHasher(deps.secrets);
  const withPlans = { ...base, accountSnapshots, plans, subscriptions, licenseKeyHasher };

  const entitlements = new EntitlementService(withPlans);
  const refreshTokens = new RefreshTokenService(base);
  const passwordHasher = deps.passwordHasher ?? new PasswordHasher();
  const staffMembers = new StaffMembersService(base);
  const knownNetworks = new KnownNetworks(base);
  const staffSessions = new StaffSessionService({ ...base, knownNetworks });
  const endSessions: EndSessions = async (transaction, userId, keptId) => {
    await refreshTokens.endAllSessions(transaction, userId, keptId);
    await staffSessions.endAll(transaction, userId);
  };
  const apiKeyAdmin = new ApiKeyAdminService(base);
  const revokeApiKey = apiKeyAdmin.revokeWithin.bind(apiKeyAdmin);
  const passwords = new PasswordService({
    ...base,
    passwordHasher,
    endSessions,
    voidStaffLinks: staffMembers.voidLinks,
    isTrustedSetter: staffMembers.isTrustedSetter,
    revokeApiKey,
  });
  const accounts = new AccountService({
    ...base,
    passwordHasher,
    endSessions,
    requireRemovable: staffMembers.requireRemovable,
    requireSessionAuthority: staffMembers.requireSessionAuthority,
  });
  const passwordCheck = new PasswordCheck({ ...base, counter, passwords, knownNetworks });
  const reauthentication = new Reauthentication({ ...base, passwords, passwordCheck });
  const mailTokens = new MailTokenService(base);
  const withAccounts = {
    ...withPlans,
    accounts,
    passwords,
    refreshTokens,
    staffMembers,
    staffSessions,
    knownNetworks,
    passwordCheck,
    reauthentication,
    mailTokens,
  };

  const accessTokens = new AccessTokenService({ ...base, signingKeys });
  const browserSessions = new BrowserSessionService(base);
  const sessions = new SessionService(withAccounts);
  const { listPasskeyNames } = staffMembers;
  const passwordChange = new PasswordChangeService({ ...withAccounts, listPasskeyNames });

  const activations = new ActivationService(base);
  const licenseAdmin = new LicenseAdminService({ ...withPlans, activations });
  const licenseChanges = new LicenseChangeService({ ...base, licenseAdmin });
  const licenses = new LicenseService({ ...withPlans, activations });
  const withLicenses = { ...withAccounts, activations, licenseAdmin, licenseChanges };

  const checkoutTokens = new CheckoutTokenService({ ...base, signingKeys });
  const providers = createBillingProviders(config.billing);
  const paidLicenses = new PaidLicenses(withLicenses);
  const billing = new BillingService({ ...withAccounts, providers, checkoutTokens, paidLicenses });

  const emailConfirmation = new EmailConfirmationService({
    ...withAccounts,
    onConfirmed: (transaction, email) => billing.applyDeadLettersOf(transaction, email),
  });

  const staffAdmin = new StaffAdminService({ ...withAccounts, apiKeyAdmin });
  const { oidc } = config;
  const attempts = new SignInAttempts(base);
  const provider = oidc && new IdentityProvider({ ...base, oidc });
  const singleSignOn = provider && new SingleSignOnService({ ...withAccounts, oidc, attempts, provider, staffAdmin });

  const importers = {
    accounts: new AccountImportService(base),
    licenses: new LicenseImportService(withAccounts),
    'api-keys': new ApiKeyImportService(withAccounts),
  };
  const auditRows = new DatabaseList(deps, auditRowList);

  // A service that no other one needs is created here.
  return {
    probe: createProbe(deps.database),
    passwordHasher,
    browserSessions,
    passwords,
    auditLog,
    auditSealing,
    auditRetention: new AuditRetentionService(base),
    accountSnapshots,
    features,
    plans,
    subscriptions,
    accounts,
    signingKeys,
    leaseKeys,
    keyRotation: new KeyRotationService({ ...base, signingKeys, leaseKeys }),
    secretRotation: new SecretRotationService(base),
    accessTokens,
    refreshTokens,
    auth: new AuthService({ ...withAccounts, endSessions, accessTokens, browserSessions }),
    sessions,
    passwordChange,
    passwordReset: new PasswordResetService({
      ...withAccounts,
      emailConfirmation,
      listPasskeyNames,
      revokeApiKey,
    }),
    accountDeletion: new AccountDeletionService(withAccounts),
    emailChange: new EmailChangeService({
      ...withAccounts,
      emailConfirmation,
      unassignUnusedLicenses: (transaction, userId, by) => licenseChanges.unassignUnusedWithin(transaction, userId, by),
    }),
    invitations: new InvitationService({
      ...withAccounts,
      requireNotStaff: staffMembers.requireNotStaff,
      requireRole: staffMembers.requireRole,
    }),
    accountExport: new AccountExportService({ ...withLicenses, apiKeyAdmin, sessions, auditRows }),
    mailQueue,
    mailTokens,
    mailComposer: new MailComposerService({
      ...withAccounts,
      isStaff: async (userId) => (await staffMembers.findRole(userId)) !== undefined,
      isKnownNetwork: (userId, address) => knownNetworks.includes(userId, address),
    }),
    licenses,
    activations,
    licenseAdmin,
    leases: new LeaseService({ ...withLicenses, leaseKeys, licenses }),
    reminders: new ReminderService(withAccounts),
    entitlements,
    apiKeys: new ApiKeyService({ ...withPlans, isSessionOpen: refreshTokens.isSessionOpen }),
    apiKeyValidation: new ApiKeyValidationService(withPlans),
    apiKeyAdmin,
    apiKeyReports: new ApiKeyReportService(withAccounts),
    heartbeats: new HeartbeatService({ ...withLicenses, entitlements }),
    installers,
    updateFeed: new UpdateFeedService({ ...base, installers, files, publisherKeys: readPublisherKeys() }),
    billing,
    billingEventList: new DatabaseList(deps, billingEventList),
    checkoutTokens,
    reconciliation: new ReconciliationService({ ...withAccounts, paidLicenses }),
    imports: new ImportService({ ...base, importers }),
    webhooks,
    deliveries: new DeliveryService({ ...base, webhooks, send }),
    endpointList: createEndpointList(() => webhooks.list()),
    deliveryList: new DatabaseList(deps, deliveryList),
    staffMembers,
    staffSessions,
    staffAdmin,
    staffSignIn: new StaffSignInService(withAccounts),
    staffPasswords: new StaffPasswordService({ ...withAccounts, passwordChange }),
    passkeys: new PasskeyService({ ...withAccounts, challenges: new PasskeyChallenges(base) }),
    singleSignOn,
    accountList: new DatabaseList(deps, createAccountList(config)),
    licenseList: new DatabaseList(deps, licenseList),
    deviceList: new DatabaseList(deps, deviceList),
    apiKeyList: new DatabaseList(deps, apiKeyList),
    auditList: new DatabaseList(deps, auditList),
    licenseChanges,
    policyPreview: new PolicyPreviewService({ ...withLicenses, features }),
    licenseKeys: new LicenseKeyReplacementService(withLicenses),
    statistics,
  };
}
