/** What this server adds to Fastify's requests. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import type { Clock } from '../clock.ts';
import { Deadline, runWithDeadline } from '../deadline.ts';
import type { LimitState } from '../errors.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import { dropRestOfBody, sendRequestTimeout } from './connections.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends when the client closes the connection. Not there yet where Fastify rejects the URL. */
    deadline: Deadline;
    /** Set once the request is authenticated by a Bearer token, or by the cookie of the account page. */
    user: SignedInUser | null;
    /** Set once the request is authenticated by a session of the admin page. */
    staff: SignedInStaff | null;
    /** The rate limit that the headers of its response report. */
    limit: LimitState | null;
    /** While the body arrives. */
    bodyTimer: NodeJS.Timeout | null;
  }
  interface FastifyContextConfig {
    /** Whether the body is a file, which has as long as `requestTimeout` of the server says. */
    isUpload?: boolean;
  }
}

/** Any body but a file takes less on a connection that is of use. */
const bodyTimeoutMs = 10_000;

export type RequestDecoratorDeps = { readonly clock: Pick<Clock, 'monotonic'>; readonly timeoutMs: number };

/** Call it before adding any other hook, so that every hook finds them. */
export function addRequestDecorators(app: FastifyInstance, { clock, timeoutMs }: RequestDecoratorDeps): void {
  app.decorateRequest('deadline');
  app.decorateRequest('user', null);
  app.decorateRequest('staff', null);
  app.decorateRequest('limit', null);
  app.decorateRequest('bodyTimer', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    request.deadline = new Deadline(timeoutMs, () => socket.destroyed, clock);
    // All that follows, the handler included, runs within it.
    runWithDeadline(request.deadline, done);
  });
  // The client may take its time to send the body, which has a timeout of its own.
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
  // The body of a request that takes none, such as a GET, is not read, nor is the rest of one that was refused.
  app.addHook('onResponse', ({ raw, bodyTimer }, _reply, done) => {
    clearTimeout(bodyTimer ?? undefined);
    dropRestOfBody(raw);
    done();
  });
}

/** An injected request is complete, and says nothing of it. */
function endUnlessComplete({ complete, socket }: IncomingMessage): void {
  if (complete === false) sendRequestTimeout(socket);
}
