/** Builds the service: an HTTP app with the routes of all features. */
import type { AddressInfo } from 'node:net';
import { Registry } from '@prometheus-io/client';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { addAboutRoute } from './about.routes.ts';
import { addAccountExportRoute } from './account-export/account-export.routes.ts';
import { addAccountAdminRoutes } from './admin-api/account-admin.routes.ts';
import { addApiKeyAdminRoutes } from './admin-api/api-key-admin.routes.ts';
import { addInstallerAdminRoutes } from './admin-api/installer-admin.routes.ts';
import { addLicenseAdminRoutes } from './admin-api/license-admin.routes.ts';
import { ListResponses } from './admin-api/list-response.ts';
import { addOverviewRoutes } from './admin-api/overview.routes.ts';
import { addPlanAdminRoutes } from './admin-api/plan-admin.routes.ts';
import { addUpdateAdminRoutes } from './admin-api/update-admin.routes.ts';
import { addWebhookAdminRoutes } from './admin-api/webhook-admin.routes.ts';
import { addApiKeyRoutes } from './api-keys/api-key.routes.ts';
import { addGithubReportRoute } from './api-keys/github-report.routes.ts';
import { SealingJob } from './audit/sealing-job.ts';
import { addAccountPageSessionRoutes } from './auth/account-page.routes.ts';
import { addAuthRoutes, addEmailRoutes, addPasswordRoutes } from './auth/auth.routes.ts';
import { basePathOf } from './base-path.ts';
import { addBillingRoutes } from './billing/billing.routes.ts';
import type { CommonDeps } from './common-deps.ts';
import { addEntitlementRoutes } from './entitlements/entitlement.routes.ts';
import { StartError } from './errors.ts';
import { addHealthRoutes } from './health.ts';
import { addHeartbeatRoutes } from './heartbeats/heartbeat.routes.ts';
import { EndpointRoutes } from './http/endpoint-routes.ts';
import { createHttpApp } from './http/http-app.ts';
import { createRequestLimiter } from './http/request-limiter.ts';
import { StaffAuth } from './http/staff-auth.ts';
import { UserAuth } from './http/user-auth.ts';
import { addInstallerRoutes } from './installers/installer.routes.ts';
import { createJobs } from './jobs.ts';
import { addLeaseRoutes } from './leases/lease.routes.ts';
import { addLicenseRoutes } from './licenses/license.routes.ts';
import { MailDelivery } from './mail/mail-delivery.ts';
import type { Mailer } from './mail/mailer.ts';
import { addInvitationPage, addMailPages } from './mail-pages/mail-page.routes.ts';
import { addMetricsRoute } from './metrics/metrics.routes.ts';
import { type MetricsChannel, MetricsService } from './metrics/metrics.service.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import { addSingleSignOnRoutes } from './oidc/single-sign-on.routes.ts';
import { addOpenApiRoutes } from './openapi/openapi.routes.ts';
import { readBuiltPages } from './pages/built-pages.ts';
import { addPageRoutes } from './pages/page.routes.ts';
import type { PeriodicTask } from './periodic-task.ts';
import { addFeatureRoutes } from './plans/feature.routes.ts';
import type { PlanService } from './plans/plan.service.ts';
import { openRateCounter } from './rate-limits/open-rate-counter.ts';
import type { RateCounter, RateStore } from './rate-limits/rate-counter.ts';
import type { StoredSecrets } from './secrets/secrets.ts';
import { createServices, type Services } from './services.ts';
import type { Config } from './settings/config.ts';
import { addStaffRoutes } from './staff/staff.routes.ts';
import { findSiteUrl } from './staff/staff-link.ts';
import { addUpdateFeedRoutes } from './updates/update-feed.routes.ts';

type AppDeps = CommonDeps & {
  readonly secrets: StoredSecrets;
  readonly logger: FastifyBaseLogger;
  /** Store shared by several workers if they have neither Redis nor PostgreSQL. */
  readonly rateStore?: RateStore;
  /** Collects the metrics of several workers. */
  readonly metricsChannel?: MetricsChannel;
  /** Sends mail if the settings name a mail server; by default over SMTP. */
  readonly mailer?: Mailer;
  /** Time limit for the work of a request, in ms. */
  readonly deadlineMs?: number;
};

/**
 * Builds the app; the caller listens or injects requests, and at the end closes the app first, then the database.
 * Throws `StartError` if a setting is wrong.
 */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const registry = new Registry();
  const app = createHttpApp({ ...deps, requestMetrics: new RequestMetrics(registry) });
  const counter = await openRateCounter(deps);
  app.addHook('onClose', () => counter.close());
  try {
    await addFeatures(app, counter, { ...deps, registry });
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

type FeatureDeps = AppDeps & { readonly registry: Registry };

async function addFeatures(app: FastifyInstance, counter: RateCounter, deps: FeatureDeps): Promise<void> {
  const { config, database } = deps;
  const services = createServices({ ...deps, rateCounter: counter });
  await Promise.all([services.signingKeys.current(), services.leaseKeys.current()]);
  await requireTrialPlan(config, services.plans);
  const limiter = createRequestLimiter({ counter, rateLimits: config.rateLimits });
  const auth = new UserAuth({ ...config, ...services });
  const staffAuth = new StaffAuth({ ...config, ...services });
  const routes = new EndpointRoutes({ app, database, limiter, auth, staffAuth, auditLog: services.auditLog });
  addHealthRoutes(app, services.probe);
  addAboutRoute(routes, config);
  addMetrics(app, deps, services);
  addAuthRoutes(routes, services);
  addPasswordRoutes(routes, services);
  addEmailRoutes(routes, services);
  if (config.accountPage) addAccountPageSessionRoutes(routes, services);
  addPageRoutes(app, readBuiltPages(), config);
  addInvitationPage(app, config);
  addAccountExportRoute(routes, services);
  addEntitlementRoutes(routes, services);
  addFeatureRoutes(routes, services);
  addLicenseRoutes(routes, services);
  addLeaseRoutes(routes, services);
  addApiKeyRoutes(routes, services);
  addHeartbeatRoutes(routes, services);
  addInstallerRoutes(routes, services);
  addUpdateFeedRoutes(app, limiter, services);
  addBillingRoutes(routes, { ...deps, ...services });
  addStaffRoutes(routes, services);
  addSingleSignOnRoutes(routes, { ...deps, ...services, app, limiter });
  addAdminRoutes(routes, deps, services);
  if (config.githubKeysFile) addGithubReportRoute(routes, { ...services, keysFile: config.githubKeysFile });
  addOpenApiRoutes(app, limiter, basePathOf(config.publicUrl));
  const sealing = new SealingJob({ ...deps, ...services }).task;
  const jobs = [
    ...createJobs(deps, services),
    ...(await createBackupJob(deps, services)),
    ...(await createMailDelivery(app, services, deps)),
  ];
  app.addHook('onListen', async () => {
    for (const job of [sealing, ...jobs]) job.start();
  });
  app.addHook('onClose', async () => {
    try {
      await Promise.all([...jobs.map((job) => job.stop()), services.auditLog.close()]);
    } finally {
      // Last, because it also seals what requests and jobs have written until then.
      await sealing.stop();
    }
  });
}

/** Returns no job if no backups are scheduled; the code for them is then not loaded either. */
async function createBackupJob({ config, ...deps }: AppDeps, { auditLog }: Services): Promise<PeriodicTask[]> {
  const { everyMs } = config.backups;
  if (everyMs === undefined) return [];
  const { createBackupTask } = await import('./backup/backup-job.ts');
  return [await createBackupTask({ ...deps, config, auditLog, everyMs })];
}

/**
 * Returns the job that sends mail, and serves the pages that links in mails lead to, if a mail server is configured.
 */
async function createMailDelivery(app: FastifyInstance, services: Services, deps: AppDeps): Promise<PeriodicTask[]> {
  const { config } = deps;
  if (!config.mail) return [];
  addMailPages(app, config);
  const mailer = deps.mailer ?? new (await import('./mail/smtp-mailer.ts')).SmtpMailer(config.mail);
  const siteUrl = () => findSiteUrl(config, (app.server.address() as AddressInfo).port);
  return [new MailDelivery({ ...deps, ...services, mailer, siteUrl }).task];
}

function addMetrics(app: FastifyInstance, deps: FeatureDeps, { probe, passwordHasher, auditSealing }: Services): void {
  const metrics = new MetricsService({ ...deps, probe, passwordHasher, auditSealing });
  const { metricsChannel: channel } = deps;
  channel?.provide(() => metrics.read());
  const readAll = channel ? () => channel.readAll() : async () => [await metrics.read()];
  addMetricsRoute(app, { ...deps, readAll });
}

/** Adds the routes of the admin page other than those for staff. */
function addAdminRoutes(routes: EndpointRoutes, deps: FeatureDeps, services: Services): void {
  const lists = new ListResponses();
  addAccountAdminRoutes(routes, services, lists);
  addLicenseAdminRoutes(routes, services, lists);
  addApiKeyAdminRoutes(routes, services, lists);
  addPlanAdminRoutes(routes, services);
  addInstallerAdminRoutes(routes, services);
  addUpdateAdminRoutes(routes, services);
  addWebhookAdminRoutes(routes, services, lists);
  addOverviewRoutes(routes, { ...deps, ...services }, lists);
}

async function requireTrialPlan({ trial }: Config, plans: PlanService): Promise<void> {
  if (!trial || (await plans.find(trial.plan))) return;
  throw new StartError(`LATCHKEY_TRIAL_PLAN is wrong: there is no plan named "${trial.plan}"`);
}
