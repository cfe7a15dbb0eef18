/**
 * Runs one history: its actions one after the other, then a calm period, with every invariant checked along the way.
 */
import fc from 'fast-check';
import { type Action, ensureRunning, perform, someAction } from './actions.ts';
import { checkCalm, checkStep, Violation } from './invariants.ts';
import { dayMs, minuteMs, World } from './world.ts';

/** What happens, and the seed of everything random in it. It can be stored as JSON. */
export type History = { readonly worldSeed: number; readonly devices: number; readonly actions: readonly Action[] };

export type HistoryOptions = {
  readonly devices: number;
  /** Maximum number of actions in a history. */
  readonly steps: number;
};

export type RunOptions = {
  /** The history ends after this many days. */
  readonly days: number;
  /** From this action on, the story includes every exchange with the server. */
  readonly traceFrom?: number;
};

export type HistoryResult = {
  readonly violation: Violation | undefined;
  /** Number of actions performed. */
  readonly steps: number;
  readonly simulatedMs: number;
  readonly story: readonly string[];
  /** Identical for every run of the same history. */
  readonly traceHash: string;
};

/**
 * Longer than the ten minutes after which everything must be true again, since a provider may send its decisions late.
 */
const calmMs = 4 * 60 * minuteMs;

export function someHistory({ devices, steps }: HistoryOptions): fc.Arbitrary<History> {
  return fc.record({
    worldSeed: fc.noShrink(fc.nat()),
    devices: fc.constant(devices),
    actions: fc.array(someAction, { minLength: 1, maxLength: steps, size: 'max' }),
  });
}

/** Runs the history. Rejects only if the simulation itself is wrong. */
export async function runHistory(
  { worldSeed, devices, actions }: History,
  { days, traceFrom = Number.POSITIVE_INFINITY }: RunOptions,
): Promise<HistoryResult> {
  const world = await World.create({ seed: worldSeed, devices });
  const startMs = world.time.nowMs;
  let steps = 0;
  let violation: Violation | undefined;
  try {
    for (const action of actions) {
      if (world.time.nowMs - startMs > days * dayMs) break;
      world.tellsExchanges = steps >= traceFrom;
      steps += 1;
      await perform(world, action);
      await world.time.settle();
      await checkStep(world);
    }
    await calmDown(world);
    await checkCalm(world);
  } catch (error) {
    if (!(error instanceof Violation)) throw describeFailure(error, world);
    violation = error;
    world.tell(`VIOLATION ${error.message}`);
  } finally {
    await world.close();
  }
  const simulatedMs = world.time.nowMs - startMs;
  return { violation, steps, simulatedMs, story: world.story, traceHash: world.traceHash() };
}

/** Repairs everything: all machines run, and their clocks are correct. */
async function calmDown(world: World): Promise<void> {
  world.tell('calm');
  world.server.isReceiverUp = true;
  for (const seat of world.seats) {
    const { machine } = seat;
    machine.network.quality = 'good';
    seat.quality = 'good';
    machine.clockOffsetMs = 0;
    machine.isDiskFull = false;
    await ensureRunning(world, seat);
    if (machine.isElsewhere) {
      await world.changeServer(seat);
      await world.signIn(seat);
    }
    world.disturb(seat);
  }
  await world.time.advance(calmMs);
}

function describeFailure(error: unknown, { story }: World): Error {
  return new Error(`the simulation failed after\n${story.slice(-10).join('\n')}`, { cause: error });
}
