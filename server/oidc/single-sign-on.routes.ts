/** Sends browsers to the identity provider and handles their return. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  formatOutcome,
  type SingleSignOnOutcome,
  type SingleSignOnProblem,
} from '../../shared/api/admin/single-sign-on-outcome.ts';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { browserOf, createAttemptCookie, createSessionCookie, readAttemptCookie } from '../http/cookies.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { ErrorLog } from '../http/error-log.ts';
import type { RequestLimiter } from '../http/request-limiter.ts';
import { type Site, urlOf } from '../staff/signed-in-staff.ts';
import { SingleSignOnRefused } from './provider-errors.ts';
import { attemptTtlMs } from './sign-in-attempt.ts';
import { callbackPath, type SingleSignOnService, type StartedAttempt } from './single-sign-on.service.ts';

type Deps = {
  readonly app: FastifyInstance;
  readonly limiter: RequestLimiter;
  readonly logger: Pick<FastifyBaseLogger, 'error' | 'debug'>;
  readonly clock: Clock;
  /** `undefined` if no provider is configured. */
  readonly singleSignOn: SingleSignOnService | undefined;
};

export function addSingleSignOnRoutes(routes: EndpointRoutes, deps: Deps): void {
  const { app, singleSignOn } = deps;
  const errorLog = new ErrorLog(deps);
  app.addHook('onClose', async () => errorLog.flush());
  const start = async (
    { site, headers }: FastifyRequest,
    reply: FastifyReply,
    begin: (service: SingleSignOnService) => Promise<StartedAttempt>,
  ) => {
    if (!singleSignOn) throw new ApiError('NOT_FOUND', 'Single sign-on is not configured on this server.');
    requireReturn(headers, site);
    const { url, sealed } = await begin(singleSignOn).catch((error: unknown) => rejectStart(error, errorLog));
    reply.setCookie(...createAttemptCookie(sealed, site, attemptTtlMs / 1000));
    return { url };
  };
  routes.add('startSingleSignOn', (request, reply) =>
    start(request, reply, (service) =>
      service.startSignIn(request.site, browserOf(request, 'staff'), request.body.new_window),
    ),
  );
  routes.add('confirmBySingleSignOn', (request, reply) =>
    start(request, reply, (service) => service.startConfirmation(request.staff, request.site)),
  );
  if (singleSignOn) addCallback(singleSignOn, { ...deps, errorLog });
}

/**
 * Throws `ApiError` CONFLICT unless the page is at the public address: the provider sends the browser back there, and
 * only for that address does it have the cookie.
 */
function requireReturn({ origin }: IncomingHttpHeaders, site: Site): void {
  if (origin === undefined || origin === site.origin) return;
  throw new ApiError('CONFLICT', `Single sign-on works on the page at ${urlOf(site)} only: open it there.`);
}

const retrySeconds = 10;
const ofProvider: readonly SingleSignOnProblem[] = ['SSO_UNAVAILABLE', 'SSO_REFUSED', 'SSO_UNTRUSTED'];

function rejectStart(error: unknown, errorLog: ErrorLog): never {
  if (!(error instanceof SingleSignOnRefused)) throw error;
  errorLog.add(error, 'single sign-on is not available', {});
  const message =
    'The identity provider does not respond as it should. Use your password or a passkey, or try again later.';
  throw new ApiError('SERVICE_UNAVAILABLE', message, retrySeconds);
}

/**
 * Adds the callback. The provider sends the browser here by a link, so the outcome is passed on in the address of the
 * page. The cookie and the state prove that this is the browser that started the attempt.
 */
function addCallback(singleSignOn: SingleSignOnService, deps: Deps & { readonly errorLog: ErrorLog }): void {
  const { app, limiter, logger, errorLog } = deps;
  const { countAddress } = limiter('default', 'single_sign_on');
  app.get(callbackPath, { onRequest: countAddress }, async (request, reply) => {
    request.deadline.require();
    const { cookies, site, url } = request;
    const browser = browserOf(request, 'staff');
    const answer = new URLSearchParams(url.split('?').slice(1).join('?'));
    // Relative, because a proxy may serve the page under a path of its own.
    const redirect = (outcome: SingleSignOnOutcome) => reply.redirect(`../../admin${formatOutcome(outcome)}`, 303);
    try {
      const sealed = readAttemptCookie(cookies, site);
      const { session, ...outcome } = await singleSignOn.finish(sealed, answer, browser);
      reply.setCookie(...createSessionCookie('staff', session.token, site));
      reply.setCookie(...createAttemptCookie(undefined, site, 0));
      return redirect(outcome);
    } catch (error) {
      if (!(error instanceof SingleSignOnRefused)) throw error;
      // Refused persons are in the audit log; problems with the provider concern the operator.
      if (ofProvider.includes(error.problem)) errorLog.add(error, 'single sign-on has failed', {});
      else logger.debug({ err: error }, 'a single sign-on was refused');
      return redirect({ result: error.problem, isNewWindow: error.isNewWindow });
    }
  });
}
