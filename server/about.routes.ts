/** `/about`: what this server offers, for clients and for people who do not have an account yet. */
import type { EndpointRoutes } from './http/endpoint-routes.ts';
import type { Config } from './settings/config.ts';

type AboutConfig = Pick<Config, 'signUp' | 'passwordMinLength' | 'mail' | 'accountPage'>;

export function addAboutRoute(routes: EndpointRoutes, config: AboutConfig): void {
  const about = {
    sign_up: config.signUp,
    password_min_length: config.passwordMinLength,
    mail: config.mail !== undefined,
    // Every server of this project has leases; another implementation of the interface may not.
    leases: true,
    account_page: config.accountPage,
  };
  routes.add('about', () => about);
}
