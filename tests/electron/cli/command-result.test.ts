/** The failure line of a command, and its exit code. */
import { expect, it } from 'vitest';
import { failed, incompleteBy } from '../../../electron/cli/command-result.ts';

it('says why a file could not be read or written, if that is known', () => {
  const failure = { code: 'STORE_UNAVAILABLE', message: 'The name could not be stored.', at: '' };
  expect(failed(failure)).toMatchObject({ exit: 1, failure: { error: 'The name could not be stored.' } });
  const full = { ...failure, fileProblem: 'disk-full' } as const;
  expect(failed(full)).toMatchObject({ failure: { error: 'The name could not be stored: disk full.' } });
  expect(incompleteBy(full)).toMatchObject({ incomplete: { error: 'The name could not be stored: disk full.' } });
});
