/** Trusted time over any history of a machine: running, asleep, off, online, and with its clock set either way. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrustedTime } from '../../../electron/licensing/trusted-time.ts';
import { createFakeClock, type FakeClock } from '../fake-platform.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

type Event =
  | { readonly kind: 'run' | 'sleep' | 'off' | 'closed'; readonly ms: number }
  | { readonly kind: 'set'; readonly byMs: number }
  | { readonly kind: 'right' | 'online' | 'check' };

const lasting = (kind: 'run' | 'sleep' | 'off' | 'closed', maxMs: number) =>
  fc.record({ kind: fc.constant(kind), ms: fc.integer({ min: 1, max: maxMs }) });

const honest: fc.Arbitrary<Event>[] = [
  lasting('run', dayMs),
  lasting('sleep', 3 * dayMs),
  lasting('off', 5 * dayMs),
  lasting('closed', 2 * dayMs),
  fc.constantFrom({ kind: 'online' as const }, { kind: 'check' as const }),
];
const dishonest: fc.Arbitrary<Event>[] = [
  fc.record({ kind: fc.constant('set' as const), byMs: fc.integer({ min: -400 * dayMs, max: 400 * dayMs }) }),
  fc.constant({ kind: 'right' as const }),
];
const anyNames = fc.constantFrom(true, false);

/** A machine together with the true time, which the server reports. */
class Machine {
  readonly clock: FakeClock;
  time: TrustedTime;
  trueMs: number;
  /** Lower bound of trusted time: includes all time in which this machine was on since the server answered. */
  certainMs: number;
  hasBeenOff = false;

  constructor(namesBoot: boolean) {
    this.clock = createFakeClock({ namesBoot });
    this.trueMs = this.clock.now();
    this.certainMs = this.trueMs;
    this.time = new TrustedTime(this);
    this.time.confirm(this.trueMs);
  }

  async live(event: Event): Promise<void> {
    const { clock } = this;
    switch (event.kind) {
      case 'run':
        await clock.advance(event.ms);
        return this.#pass(event.ms, true);
      case 'sleep':
        clock.sleep(event.ms);
        return this.#pass(event.ms, true);
      case 'closed':
      case 'off': {
        const stored = JSON.parse(JSON.stringify(this.time.reading()));
        if (event.kind === 'off') clock.reboot(event.ms);
        else clock.sleep(event.ms);
        this.hasBeenOff ||= event.kind === 'off';
        this.#pass(event.ms, event.kind === 'closed');
        this.time = new TrustedTime(this);
        return this.time.restore(stored);
      }
      case 'set':
        return clock.setWall(clock.now() + event.byMs);
      case 'right':
        return clock.setWall(this.trueMs);
      case 'online':
        this.hasBeenOff = false;
        this.certainMs = this.trueMs;
        return this.time.confirm(this.trueMs);
      case 'check':
        return void this.time.nowMs();
    }
  }

  #pass(ms: number, isOn: boolean): void {
    this.trueMs += ms;
    if (isOn) this.certainMs += ms;
  }
}

async function eachMoment(
  events: fc.Arbitrary<Event>[],
  names: fc.Arbitrary<boolean>,
  check: (machine: Machine) => void,
): Promise<void> {
  const histories = fc.array(fc.oneof(...events), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(histories, names, async (history, namesBoot) => {
      const machine = new Machine(namesBoot);
      for (const event of history) {
        await machine.live(event);
        check(machine);
      }
    }),
    { numRuns: 300 },
  );
}

describe('trusted time', () => {
  it('is the true time as long as nobody sets the clock', async () => {
    await eachMoment(honest, anyNames, ({ time, trueMs }) => {
      expect(Math.abs(time.nowMs() - trueMs)).toBeLessThan(minuteMs);
    });
  });

  it('is never ahead of the true time once the clock is right, whatever it was before', async () => {
    await eachMoment([...honest, ...dishonest], anyNames, (machine) => {
      const { clock, time, trueMs } = machine;
      const wallMs = clock.now();
      time.nowMs();
      clock.setWall(trueMs);
      expect(time.nowMs() - trueMs).toBeLessThan(minuteMs);
      clock.setWall(wallMs);
    });
  });

  it('includes all time in which the machine was on, however its clock is set', async () => {
    await eachMoment([...honest, ...dishonest], anyNames, ({ time, certainMs }) => {
      expect(time.nowMs() - certainMs).toBeGreaterThan(-minuteMs);
    });
  });

  it('does not follow the clock at all until the machine was off', async () => {
    await eachMoment([...honest, ...dishonest], fc.constant(true), ({ time, trueMs, hasBeenOff }) => {
      if (!hasBeenOff) expect(Math.abs(time.nowMs() - trueMs)).toBeLessThan(minuteMs);
    });
  });

  it('is never stored ahead of the true time', async () => {
    await eachMoment([...honest, ...dishonest], anyNames, ({ time, trueMs }) => {
      expect(time.reading().trustedMs - trueMs).toBeLessThan(minuteMs);
    });
  });
});
