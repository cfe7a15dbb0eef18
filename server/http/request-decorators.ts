/** The decorators that this server adds to Fastify's requests. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { chooseLanguage } from '../accept-language.ts';
import { type AuditContext, byAnonymous, byUser } from '../audit/audit-event.ts';
import type { SignedInUser, SignInClient } from '../auth/signed-in-user.ts';
import type { Clock } from '../clock.ts';
import { Deadline, runWithDeadline } from '../deadline.ts';
import type { LimitState } from '../errors.ts';
import { byStaff, type SignedInStaff, type Site } from '../staff/signed-in-staff.ts';
import { dropRestOfBody, sendRequestTimeout } from './connections.ts';
import { siteOf } from './request-site.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends when the client closes the connection. Not set yet if Fastify rejects the URL. */
    deadline: Deadline;
    /** Set once the request is authenticated by a bearer token or by the cookie of the account page. */
    user: SignedInUser | null;
    /** Set once the request is authenticated by an admin page session. */
    staff: SignedInStaff | null;
    /** On whose behalf the request acts: its user, its member of staff, or somebody who is not signed in. */
    readonly by: AuditContext;
    /** The client, as far as its connection and headers describe it. */
    readonly client: SignInClient;
    /** The address at which the browser reached this server. Throws `ApiError` VALIDATION_ERROR for an invalid Host. */
    readonly site: Site;
    /** The rate limit that the response headers report. */
    limit: LimitState | null;
    /** Runs while the body is arriving. */
    bodyTimer: NodeJS.Timeout | null;
  }
  interface FastifyContextConfig {
    /** Name of the endpoint in its table. */
    endpoint?: string;
    /** True if the body is a file, for which the server's `requestTimeout` applies. */
    isUpload?: boolean;
  }
}

/** Time limit for a body that is not a file, in ms. On a usable connection, only a file takes longer. */
const bodyTimeoutMs = 10_000;

type RequestDecoratorDeps = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timeoutMs: number;
  /** The public URL of the deployment; `undefined` if it is not set. */
  readonly publicUrl: URL | undefined;
};

/** Adds the decorators. Must be called before any other hook is added, so that every hook can use them. */
export function addRequestDecorators(
  app: FastifyInstance,
  { clock, timeoutMs, publicUrl }: RequestDecoratorDeps,
): void {
  app.decorateRequest('deadline');
  app.decorateRequest('user', null);
  app.decorateRequest('staff', null);
  app.decorateRequest('by', { getter: readAuditContext });
  app.decorateRequest('client', { getter: readClient });
  app.decorateRequest('site', {
    getter() {
      return siteOf(this, publicUrl);
    },
  });
  app.decorateRequest('limit', null);
  app.decorateRequest('bodyTimer', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    request.deadline = new Deadline(timeoutMs, () => socket.destroyed, clock);
    // Everything that follows, including the handler, runs within the deadline.
    runWithDeadline(request.deadline, done);
  });
  // Waiting for the body does not use up the deadline; the body has its own timeout.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    request.deadline.pause();
    if (request.routeOptions.config.isUpload !== true) {
      request.bodyTimer = setTimeout(endUnlessComplete, bodyTimeoutMs, request.raw).unref();
    }
    done();
  });
  app.addHook('preValidation', ({ deadline, bodyTimer }, _reply, done) => {
    clearTimeout(bodyTimer ?? undefined);
    deadline.resume();
    done();
  });
  // Fastify reads neither the body of a request that should have none, such as a GET, nor the rest of a refused one.
  app.addHook('onResponse', ({ raw, bodyTimer }, _reply, done) => {
    clearTimeout(bodyTimer ?? undefined);
    dropRestOfBody(raw);
    done();
  });
}

function readAuditContext(this: FastifyRequest): AuditContext {
  const { user, staff, ip } = this;
  if (user) return byUser(user.id, ip);
  return staff ? byStaff(staff, ip) : byAnonymous(ip);
}

function readClient(this: FastifyRequest): SignInClient {
  const { headers, ip: address } = this;
  return { address, language: chooseLanguage(headers['accept-language']), userAgent: headers['user-agent'] ?? '' };
}

/** Ends a request whose body is still incomplete. An injected request has no `complete` property. */
function endUnlessComplete({ complete, socket }: IncomingMessage): void {
  if (complete === false) sendRequestTimeout(socket);
}
