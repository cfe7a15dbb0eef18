/** Composes the services of all features, for the app and for the admin commands. */

import { join } from 'node:path';
import { AccountExportService } from './account-export/account-export.service.ts';
import { AccountSnapshots } from './account-snapshots/account-snapshots.ts';
import { AccountService } from './accounts/account.service.ts';
import type { EndSessions } from './accounts/account.ts';
import { AccountImportService } from './accounts/account-import.service.ts';
import { createAccountList } from './accounts/account-list.ts';
import { EmailRecipientService } from './accounts/email-recipient.service.ts';
import { MailTokenService } from './accounts/mail-token.service.ts';
import { PasswordService } from './accounts/password.service.ts';
import { PasswordHasher } from './accounts/password-hasher.ts';
import { ActivationService } from './activations/activation.service.ts';
import { deviceList } from './activations/device-list.ts';
import { AccountDetailsService } from './admin-api/account-details.service.ts';
import { OverviewService } from './admin-api/overview.service.ts';
import { ServerInfoService } from './admin-api/server-info.service.ts';
import { ApiKeyService } from './api-keys/api-key.service.ts';
import { ApiKeyAdminService } from './api-keys/api-key-admin.service.ts';
import { ApiKeyImportService } from './api-keys/api-key-import.service.ts';
import { apiKeyList } from './api-keys/api-key-list.ts';
import { ApiKeyReportService } from './api-keys/api-key-report.service.ts';
import { ApiKeyValidationService } from './api-keys/api-key-validation.service.ts';
import { IdempotentResponseService } from './api-keys/idempotent-response.service.ts';
import { auditList, auditRowList } from './audit/audit-list.ts';
import { AuditLogService } from './audit/audit-log.service.ts';
import { AuditRetentionService } from './audit/audit-retention.service.ts';
import { AuditSealingService } from './audit/audit-sealing.service.ts';
import { createHeadMemory } from './audit/head-memory.ts';
import { AccessTokenService } from './auth/access-token.service.ts';
import { AccountDeletionService } from './auth/account-deletion.service.ts';
import { AuthService } from './auth/auth.service.ts';
import { BrowserSessionService } from './auth/browser-session.service.ts';
import { EmailChangeService } from './auth/email-change.service.ts';
import { EmailConfirmationService } from './auth/email-confirmation.service.ts';
import { InvitationService } from './auth/invitation.service.ts';
import { KnownNetworks } from './auth/known-networks.ts';
import { LoginThrottle } from './auth/login-throttle.ts';
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
import { EntitlementService } from './entitlements/entitlement.service.ts';
import { HeartbeatService } from './heartbeats/heartbeat.service.ts';
import { ImportService } from './import/import.service.ts';
import { InstallerService } from './installers/installer.service.ts';
import { KeyRotationService } from './keys/key-rotation.service.ts';
import { SigningKeyService } from './keys/signing-key.service.ts';
import { LeaseService } from './leases/lease.service.ts';
import { LicenseService } from './licenses/license.service.ts';
import { LicenseAdminService } from './licenses/license-admin.service.ts';
import { LicenseChangeService } from './licenses/license-change.service.ts';
import { LicenseImportService } from './licenses/license-import.service.ts';
import { LicenseKeyReplacementService } from './licenses/license-key-replacement.service.ts';
import { licenseList } from './licenses/license-list.ts';
import { UnusedLicensesService } from './licenses/unused-licenses.service.ts';
import { MailAllowance } from './mail/mail-allowance.ts';
import { MailComposerService } from './mail/mail-composer.service.ts';
import { MailQueueService } from './mail/mail-queue.service.ts';
import { createSingleSignOn } from './oidc/create-single-sign-on.ts';
import { FeatureService } from './plans/feature.service.ts';
import { PlanService } from './plans/plan.service.ts';
import { PolicyPreviewService } from './policy-preview/policy-preview.service.ts';
import { MemoryRateCounter } from './rate-limits/memory-rate-counter.ts';
import type { RateCounter } from './rate-limits/rate-counter.ts';
import { ReminderService } from './reminders/reminder.service.ts';
import { SecretRotationService } from './secret-rotation/secret-rotation.service.ts';
import type { StoredSecrets } from './secrets.ts';
import { PasskeyService } from './staff/passkey.service.ts';
import { PasskeyChallenges } from './staff/passkey-challenge.ts';
import { StaffAdminService } from './staff/staff-admin.service.ts';
import { StaffMembersService } from './staff/staff-members.service.ts';
import { StaffPasswordService } from './staff/staff-password.service.ts';
import { StaffSessionService } from './staff/staff-session.service.ts';
import { StaffSignInService } from './staff/staff-sign-in.service.ts';
import { StatisticsService } from './statistics/statistics.service.ts';
import { SubscriptionService } from './subscriptions/subscription.service.ts';
import { readPublisherKeys } from './updates/publisher-keys.ts';
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
  /** argon2id if it is left out. */
  readonly passwordHasher?: PasswordHasher;
  /** Sends one event to one endpoint; by HTTP if it is left out. */
  readonly sendEvent?: SendEvent;
  /** Counts logins. Without one they are counted in memory. */
  readonly rateCounter?: RateCounter;
};

export type Services = ReturnType<typeof createServices>;

/** Opens nothing and reads nothing: each service uses the database when it is called. */
export function createServices(deps: ServicesDeps) {
  const { config, clock, rateCounter: counter = new MemoryRateCounter({ clock }) } = deps;

  const auditLog = new AuditLogService(deps);
  const auditSealing = new AuditSealingService({ ...deps, auditLog, headMemory: createHeadMemory(config) });
  const auditRetention = new AuditRetentionService({ ...deps, auditLog });

  const outbox = new EventOutbox(deps);
  const webhooks = new WebhookService({ ...deps, auditLog });
  const deliveries = new DeliveryService({
    ...deps,
    webhooks,
    send: deps.sendEvent ?? createSender(config.allowsPrivateWebhooks),
  });

  const mailQueue = new MailQueueService(deps);

  const accountSnapshots = new AccountSnapshots(deps);
  const plans = new PlanService({ ...deps, auditLog, outbox });
  const features = new FeatureService({ ...deps, auditLog, outbox, plans });
  const subscriptions = new SubscriptionService({ ...deps, auditLog, outbox, plans });

  const refreshTokens = new RefreshTokenService(deps);
  const passwordHasher = deps.passwordHasher ?? new PasswordHasher();
  const staffMembers = new StaffMembersService(deps);
  const staffSessions = new StaffSessionService({ ...deps, auditLog });
  const endSessions: EndSessions = async (transaction, userId, keptId) => {
    await refreshTokens.endAllSessions(transaction, userId, keptId);
    await staffSessions.endAll(transaction, userId);
  };
  const passwords = new PasswordService({
    ...deps,
    auditLog,
    passwordHasher,
    endSessions,
    voidStaffLinks: staffMembers.voidLinks,
  });
  const accounts = new AccountService({
    ...deps,
    auditLog,
    outbox,
    passwordHasher,
    endSessions,
    requireRemovable: staffMembers.requireOtherOwner,
  });
  const emailRecipients = new EmailRecipientService(deps);
  const signingKeys = new SigningKeyService({ ...deps, purpose: 'access_token', lifetimeMs: config.accessTokenTtlMs });
  const leaseKeys = new SigningKeyService({ ...deps, purpose: 'lease', lifetimeMs: config.leaseTtlMs });
  const keyRotation = new KeyRotationService({ ...deps, auditLog, signingKeys, leaseKeys });
  const accessTokens = new AccessTokenService({ ...deps, signingKeys });
  const knownNetworks = new KnownNetworks(deps);
  const loginThrottle = new LoginThrottle({ counter, loginsPerClient: config.rateLimits.login });
  const passwordCheck = new PasswordCheck({ config, passwords, knownNetworks, loginThrottle });
  const browserSessions = new BrowserSessionService(deps);
  const auth = new AuthService({
    ...deps,
    auditLog,
    accounts,
    passwords,
    subscriptions,
    accessTokens,
    refreshTokens,
    browserSessions,
    knownNetworks,
    passwordCheck,
    mailQueue,
  });
  const mailTokens = new MailTokenService(deps);
  const mailAllowance = new MailAllowance(deps);
  const mailComposer = new MailComposerService({
    ...deps,
    auditLog,
    accounts,
    mailTokens,
    mailAllowance,
    isStaff: async (userId) => (await staffMembers.findRole(userId)) !== undefined,
    isKnownNetwork: (userId, address) => knownNetworks.includes(userId, address),
  });
  const sessions = new SessionService({ ...deps, auditLog, refreshTokens });
  const reauthentication = new Reauthentication({ passwords, passwordCheck, auditLog });
  const passwordChange = new PasswordChangeService({
    ...deps,
    passwords,
    reauthentication,
    refreshTokens,
    knownNetworks,
    mailQueue,
    listPasskeyNames: staffMembers.listPasskeyNames,
  });
  const checkoutTokens = new CheckoutTokenService({ ...deps, signingKeys });
  const providers = createBillingProviders(config.billing);
  const activations = new ActivationService({ ...deps, auditLog, outbox });
  const licenseAdmin = new LicenseAdminService({
    ...deps,
    auditLog,
    outbox,
    plans,
    subscriptions,
    activations,
    mailQueue,
  });
  const licenseChanges = new LicenseChangeService({ ...deps, auditLog, outbox, licenseAdmin });
  const { issuesLicenses } = config.billing;
  const paidLicenses = new PaidLicenses({
    accounts,
    plans,
    subscriptions,
    licenseAdmin,
    licenseChanges,
    issuesLicenses,
  });
  const billing = new BillingService({
    ...deps,
    auditLog,
    accounts,
    plans,
    subscriptions,
    providers,
    checkoutTokens,
    paidLicenses,
  });
  const reconciliation = new ReconciliationService({
    ...deps,
    accounts,
    plans,
    subscriptions,
    paidLicenses,
    plansByPrice: config.billing.plansByPrice,
  });
  const emailConfirmation = new EmailConfirmationService({
    config,
    accounts,
    subscriptions,
    auditLog,
    onConfirmed: (transaction, email) => billing.applyDeadLettersOf(transaction, email),
  });
  const accountDeletion = new AccountDeletionService({ ...deps, accounts, passwords, reauthentication, mailQueue });
  const apiKeyValidation = new ApiKeyValidationService({ ...deps, accountSnapshots, plans });
  const apiKeyAdmin = new ApiKeyAdminService({ ...deps, auditLog, apiKeyValidation });
  const passwordReset = new PasswordResetService({
    ...deps,
    accounts,
    passwords,
    mailTokens,
    mailQueue,
    emailConfirmation,
    listPasskeyNames: staffMembers.listPasskeyNames,
    revokeApiKey: (transaction, userId, options) => apiKeyAdmin.revokeWithin(transaction, userId, options),
  });
  const invitations = new InvitationService({
    ...deps,
    auditLog,
    accounts,
    subscriptions,
    mailTokens,
    mailQueue,
    requireAuthorityOver: (transaction, userId, staff) => staffMembers.requireAuthorityOver(userId, staff, transaction),
  });
  const unusedLicenses = new UnusedLicensesService({ ...deps, auditLog });
  const emailChange = new EmailChangeService({
    ...deps,
    accounts,
    passwords,
    reauthentication,
    mailTokens,
    mailQueue,
    emailConfirmation,
    unassignUnusedLicenses: (transaction, userId, by) => unusedLicenses.unassign(transaction, userId, by),
  });

  const licenses = new LicenseService({ ...deps, accountSnapshots, plans, activations });
  const secretRotation = new SecretRotationService({ ...deps, auditLog });
  const leases = new LeaseService({
    ...deps,
    auditLog,
    accountSnapshots,
    leaseKeys,
    licenses,
    activations,
    plans,
  });
  const policyPreview = new PolicyPreviewService({
    ...deps,
    accountSnapshots,
    plans,
    features,
    licenseChanges,
  });
  const licenseKeys = new LicenseKeyReplacementService({
    ...deps,
    accounts,
    accountSnapshots,
    passwords,
    reauthentication,
    licenseAdmin,
    auditLog,
    outbox,
    mailQueue,
  });
  const reminders = new ReminderService({ ...deps, outbox, mailQueue, accounts, subscriptions, plans });
  const entitlements = new EntitlementService({ clock, accountSnapshots, plans });

  const idempotentResponses = new IdempotentResponseService(deps);
  const apiKeys = new ApiKeyService({ ...deps, auditLog, outbox, plans, subscriptions, idempotentResponses });
  const apiKeyReports = new ApiKeyReportService({ ...deps, auditLog, accounts, mailQueue });

  const heartbeats = new HeartbeatService({ ...deps, outbox, accountSnapshots, plans, activations, entitlements });
  const installers = new InstallerService({ ...deps, auditLog, outbox });
  const updateFeed = new UpdateFeedService({
    ...deps,
    auditLog,
    installers,
    files: new UpdateFiles(join(config.dataFolder, 'updates')),
    publisherKeys: readPublisherKeys(),
  });

  const importers = {
    accounts: new AccountImportService({ ...deps, outbox }),
    licenses: new LicenseImportService({ ...deps, outbox, emailRecipients, plans, subscriptions }),
    'api-keys': new ApiKeyImportService({ ...deps, emailRecipients, apiKeyValidation }),
  };
  const imports = new ImportService({ ...deps, auditLog, importers });
  const staffAdmin = new StaffAdminService({
    ...deps,
    auditLog,
    accounts,
    passwords,
    apiKeyAdmin,
    staffMembers,
    mailQueue,
  });
  const staffSignIn = new StaffSignInService({
    ...deps,
    auditLog,
    accounts,
    passwords,
    passwordCheck,
    knownNetworks,
    staffSessions,
  });
  const staffPasswords = new StaffPasswordService({
    ...deps,
    accounts,
    passwords,
    passwordChange,
    staffMembers,
    mailQueue,
    staffSessions,
  });
  const challenges = new PasskeyChallenges(deps);
  const passkeys = new PasskeyService({ ...deps, auditLog, challenges, staffSessions, mailQueue });
  const singleSignOn = createSingleSignOn(config.oidc, { ...deps, auditLog, accounts, staffAdmin, staffSessions });

  const statistics = new StatisticsService(deps);

  const accountDetails = new AccountDetailsService({
    ...deps,
    accounts,
    emailRecipients,
    subscriptions,
    licenseAdmin,
    licenseList: new DatabaseList(deps, licenseList),
    apiKeyAdmin,
    refreshTokens,
    staffMembers,
  });
  const overview = new OverviewService({ ...deps, auditSealing, statistics, installers, staffAdmin });
  const accountExport = new AccountExportService({
    ...deps,
    accounts,
    subscriptions,
    licenseAdmin,
    apiKeyAdmin,
    sessions,
    auditRows: new DatabaseList(deps, auditRowList),
  });
  const serverInfo = new ServerInfoService(deps);

  return {
    passwordHasher,
    browserSessions,
    passwords,
    auditLog,
    auditSealing,
    auditRetention,
    accountSnapshots,
    features,
    plans,
    subscriptions,
    accounts,
    emailRecipients,
    signingKeys,
    leaseKeys,
    keyRotation,
    secretRotation,
    accessTokens,
    auth,
    sessions,
    passwordChange,
    passwordReset,
    accountDeletion,
    emailChange,
    invitations,
    accountExport,
    mailQueue,
    mailTokens,
    mailAllowance,
    mailComposer,
    licenses,
    activations,
    licenseAdmin,
    leases,
    reminders,
    entitlements,
    apiKeys,
    apiKeyValidation,
    apiKeyAdmin,
    apiKeyReports,
    heartbeats,
    installers,
    updateFeed,
    billing,
    billingEventList: new DatabaseList(deps, billingEventList),
    checkoutTokens,
    reconciliation,
    imports,
    webhooks,
    deliveries,
    endpointList: createEndpointList(() => webhooks.list()),
    deliveryList: new DatabaseList(deps, deliveryList),
    staffMembers,
    staffSessions,
    staffAdmin,
    staffSignIn,
    staffPasswords,
    passkeys,
    singleSignOn,
    accountList: new DatabaseList(deps, createAccountList(emailRecipients)),
    licenseList: new DatabaseList(deps, licenseList),
    deviceList: new DatabaseList(deps, deviceList),
    apiKeyList: new DatabaseList(deps, apiKeyList),
    auditList: new DatabaseList(deps, auditList),
    licenseChanges,
    policyPreview,
    licenseKeys,
    statistics,
    accountDetails,
    overview,
    serverInfo,
  };
}
