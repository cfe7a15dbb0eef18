/** What most services depend on, besides other services. */
import { type Clock, systemClock } from './clock.ts';
import type { Database } from './database/database.ts';
import type { Random } from './random.ts';
import { type Scheduler, systemScheduler } from './scheduler.ts';
import type { Secrets } from './secrets/secrets.ts';
import type { Config } from './settings/config.ts';
import { systemRandom } from './system-random.ts';

export type CommonDeps = {
  readonly config: Config;
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
};

/** Those of this machine, for a process that runs for real. */
export const systemDeps = { clock: systemClock, random: systemRandom, scheduler: systemScheduler };
