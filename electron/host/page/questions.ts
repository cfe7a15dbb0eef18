/** Does for the host what only a page can: the file chooser, the clipboard, a link in a new tab. */
import type { Question } from '../messages.ts';
import { filesArrived, getPathForFile } from './file-paths.ts';

/** The answer to one question; what the browser refuses is `null`. */
export async function answerQuestion(question: Question, uploadsFolder: string): Promise<unknown> {
  try {
    switch (question.what) {
      case 'choose-file':
        return await chooseFile(uploadsFolder);
      case 'write-clipboard':
        return await writeClipboard(question.text);
      case 'read-clipboard':
        return await navigator.clipboard.readText();
      case 'open-link':
        window.open(question.url, '_blank', 'noopener,noreferrer');
        return null;
    }
  } catch {
    return null;
  }
}

/** A browser opens its chooser only after an act of the person; without one nothing would ever answer. */
async function chooseFile(uploadsFolder: string): Promise<string | null> {
  if (!navigator.userActivation.isActive) return null;
  const input = document.createElement('input');
  input.type = 'file';
  const file = await new Promise<File | null>((resolve) => {
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
    input.addEventListener('cancel', () => resolve(null));
    input.click();
  });
  if (file === null) return null;
  const path = getPathForFile(file, uploadsFolder);
  await filesArrived(JSON.stringify(path));
  return path;
}

async function writeClipboard(text: string): Promise<boolean> {
  await navigator.clipboard.writeText(text);
  return true;
}
