/** Gives each request its budget, which ends when the client closes the connection. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestBudget, runWithBudget } from '../request-budget.ts';

/** To be called before any hook is added that does work, so that it runs in the budget too. */
export function addRequestBudgets(app: FastifyInstance, timeoutMs: number): void {
  const budgets = new WeakMap<FastifyRequest, RequestBudget>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    const budget = new RequestBudget(timeoutMs, () => socket.destroyed);
    budgets.set(request, budget);
    runWithBudget(budget, done);
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    budgets.get(request)?.pause();
    done(null, payload);
  });
  // The body arrives in events of the connection, which run for no request.
  app.addHook('preValidation', (request, _reply, done) => {
    const budget = budgets.get(request);
    budget?.resume();
    const problem = budget?.problem();
    if (problem) done(problem);
    else runWithBudget(budget, done);
  });
}
