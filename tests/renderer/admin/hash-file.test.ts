/** The hash of a file, calculated in slices. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashFile } from '../../../renderer/admin/screens/installers/hash-file.ts';

const sliceBytes = 1024 ** 2;
const never = new AbortController().signal;

/** A file that records the largest part of it that was read at once. */
class WatchedFile extends Blob {
  largestRead = 0;

  override slice(start = 0, end = this.size): Blob {
    const part = super.slice(start, end);
    this.largestRead = Math.max(this.largestRead, part.size);
    return part;
  }

  override arrayBuffer(): Promise<never> {
    throw new Error('the whole file was read');
  }
}

describe('the hash of a file', () => {
  it.each([0, 1, sliceBytes - 1, sliceBytes, sliceBytes + 1, 3 * sliceBytes + 12_345])(
    'of %i bytes is its SHA-256',
    async (bytes) => {
      const content = randomBytes(bytes);
      const expected = createHash('sha256').update(content).digest('hex');
      expect(await hashFile(new Blob([content]), { signal: never, onProgress: () => {} })).toBe(expected);
    },
  );

  it('is calculated without reading more than one slice at a time, and reports progress', async () => {
    const file = new WatchedFile([randomBytes(2 * sliceBytes + 5)]);
    const progress: number[] = [];
    await hashFile(file, { signal: never, onProgress: (done) => progress.push(done) });
    expect(file.largestRead).toBe(sliceBytes);
    expect(progress).toStrictEqual([sliceBytes, 2 * sliceBytes, 2 * sliceBytes + 5]);
  });

  it('is aborted when it is canceled', async () => {
    const controller = new AbortController();
    const file = new Blob([randomBytes(3 * sliceBytes)]);
    const progress: number[] = [];
    const hash = hashFile(file, {
      signal: controller.signal,
      onProgress: (done) => {
        progress.push(done);
        controller.abort();
      },
    });
    await expect(hash).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(progress).toHaveLength(1);
  });
});
