/** Replays a support file for a human reader. Whoever sent the file chose its texts, so they are printed escaped. */
import { toPrintable } from '../../../shared/formats/printable.ts';
import { readSupportFile, type SupportFile, UnreadableSupportFileError } from './read-support-file.ts';
import { replaySupportFile } from './replay-support-file.ts';

export type Output = { readonly log: (text: string) => void; readonly error: (text: string) => void };

/**
 * Prints the story and each difference. Resolves with the exit code: 0 if the client shows what the file says, 1 if it
 * does not, 2 if the file cannot be replayed.
 */
export async function tellSupportFile(path: string, output: Output): Promise<number> {
  const file = readOrExplain(path, output);
  if (file === null) return 2;
  const { story, differences, steps, unasked } = await replaySupportFile(file);
  output.log(story.map(toPrintable).join('\n'));
  output.log('');
  if (unasked > 0) output.log(`${unasked} of ${steps} steps were answers that the client did not ask for.`);
  if (differences.length === 0) {
    output.log(`${steps} steps: the client shows what the file says.`);
    return 0;
  }
  output.log(`${steps} steps: the client does not show what the file says.`);
  for (const difference of differences) output.log(`  ${toPrintable(difference)}`);
  return 1;
}

function readOrExplain(path: string, output: Output): SupportFile | null {
  try {
    return readSupportFile(path);
  } catch (error) {
    if (!(error instanceof UnreadableSupportFileError)) throw error;
    output.error(toPrintable(error.message));
    return null;
  }
}
