/** What this server adds to Fastify's requests. */
import type { FastifyInstance } from 'fastify';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import type { Clock } from '../clock.ts';
import { Deadline, runWithDeadline } from '../deadline.ts';
import type { LimitState } from '../errors.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';

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
  }
}

export type RequestDecoratorDeps = { readonly clock: Pick<Clock, 'monotonic'>; readonly timeoutMs: number };

/** Call it before adding any other hook, so that every hook finds them. */
export function addRequestDecorators(app: FastifyInstance, { clock, timeoutMs }: RequestDecoratorDeps): void {
  app.decorateRequest('deadline');
  app.decorateRequest('user', null);
  app.decorateRequest('staff', null);
  app.decorateRequest('limit', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    request.deadline = new Deadline(timeoutMs, () => socket.destroyed, clock);
    // All that follows, the handler included, runs within it.
    runWithDeadline(request.deadline, done);
  });
  // The client may take its time to send the body.
  app.addHook('preParsing', ({ deadline }, _reply, _payload, done) => {
    deadline.pause();
    done();
  });
  app.addHook('preValidation', ({ deadline }, _reply, done) => {
    deadline.resume();
    done();
  });
}
