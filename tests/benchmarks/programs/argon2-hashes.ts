/** Verifies a password repeatedly for the seconds on its command line, two at a time, and prints the resource usage. */
import { hash, verify } from '@node-rs/argon2';

const seconds = Number(process.argv[2]);
const password = 'quiet harbour lantern 47';
// The parameters of the service.
const hashed = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
const cpuBefore = process.cpuUsage();
const endsAt = performance.now() + seconds * 1000;
let verified = 0;

async function verifyUntilTheEnd(): Promise<void> {
  while (performance.now() < endsAt) {
    if (!(await verify(hashed, password))) throw new Error('the right password was rejected');
    verified += 1;
  }
}

await Promise.all([verifyUntilTheEnd(), verifyUntilTheEnd()]);
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMicros = (user + system) / verified;
console.log(JSON.stringify({ cpuMicros, perCpuSecond: 1e6 / cpuMicros, perSecond: verified / seconds }));
