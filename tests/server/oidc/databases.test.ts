/**
 * What two processes do at the same moment on each database: an attempt is used once, and a new account is created
 * once.
 */
import { expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import type { ForgedProvider } from '../../harness/forged-provider.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';
import { startForgedProvider } from './server-with-provider.ts';

const site = { origin: 'http://localhost', hostname: 'localhost', basePath: '', isConfigured: false, isSecure: false };
const browser = { address: '192.0.2.1', userAgent: '' };

function singleSignOnOf({ singleSignOn }: Services) {
  if (!singleSignOn) throw new Error('no provider is configured');
  return singleSignOn;
}

describeEachDatabase((database) => {
  /** Provides the services of two processes on one database. */
  async function withTwo(work: (first: Services, second: Services, provider: ForgedProvider) => Promise<void>) {
    const provider = await startForgedProvider();
    const admin = await database.createAdmin(provider.settings);
    await withServices(admin, (first) => withServices(admin, (second) => work(first, second, provider)));
  }

  it('only one of two uses of the same response signs in', () =>
    withTwo(async (first, second, provider) => {
      const { url, sealed } = await singleSignOnOf(first).startSignIn(site, browser, false);
      const { searchParams } = provider.answer(new URL(url));
      const finishing = [first, second].map((each) => singleSignOnOf(each).finish(sealed, searchParams, browser));
      const outcomes = await Promise.allSettled(finishing);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(outcomes).toContainEqual({
        status: 'rejected',
        reason: expect.objectContaining({ problem: 'SSO_EXPIRED' }),
      });
      expect(await first.staffAdmin.list()).toMatchObject([{ email: 'grace@lab.example', sessions: 1 }]);
    }));

  it('a person who signs in twice at once for the first time gets one account', () =>
    withTwo(async (first, second, provider) => {
      const signIn = async (services: Services) => {
        const { url, sealed } = await singleSignOnOf(services).startSignIn(site, browser, false);
        return () => singleSignOnOf(services).finish(sealed, provider.answer(new URL(url)).searchParams, browser);
      };
      const ready = [await signIn(first), await signIn(second), await signIn(first)];
      const sessions = await Promise.all(ready.map((finish) => finish()));
      expect(new Set(sessions.map(({ session }) => session.token)).size).toBe(3);
      expect(await second.staffAdmin.list()).toMatchObject([{ role: 'owner', sessions: 3 }]);
      expect((await second.accounts.listPage({ limit: 10 })).rows).toHaveLength(1);
    }));

  it('a session is confirmed, and gets the role of the groups at that time', () =>
    withTwo(async (first, second, provider) => {
      const start = await singleSignOnOf(first).startSignIn(site, browser, false);
      const { session } = await singleSignOnOf(first).finish(
        start.sealed,
        provider.answer(new URL(start.url)).searchParams,
        browser,
      );
      const staff = await second.staffSessions.authenticate(session.token);
      if (!staff) throw new Error('nobody is signed in');
      await first.staffAdmin.add('owner@lab.example', 'owner', { actor: { kind: 'command' } });
      provider.claims = { groups: 'helpdesk' };
      const confirm = await singleSignOnOf(second).startConfirmation(staff, site);
      const answer = provider.answer(new URL(confirm.url)).searchParams;
      const confirmed = await singleSignOnOf(first).finish(confirm.sealed, answer, browser);
      expect(await second.staffSessions.authenticate(session.token)).toBeUndefined();
      expect(await second.staffSessions.authenticate(confirmed.session.token)).toMatchObject({
        role: 'support',
        isConfirmed: true,
      });
    }));
});
