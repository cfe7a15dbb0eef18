/** Does what only a page can do for the host: the file dialog, the clipboard, a link in a new tab. */
import type { PageRequest } from '../page-messages.ts';
import { getPathForFile, waitForUploads } from './file-paths.ts';

/** The response to a request; `null` if the browser does not allow it. */
export async function handlePageRequest(request: PageRequest, uploadsFolder: string): Promise<unknown> {
  try {
    switch (request.kind) {
      case 'choose-file':
        return await chooseFile(uploadsFolder);
      case 'write-clipboard':
        return await writeClipboard(request.text);
      case 'read-clipboard':
        return await navigator.clipboard.readText();
      case 'open-link':
        window.open(request.url, '_blank', 'noopener,noreferrer');
        return null;
    }
  } catch {
    return null;
  }
}

/** A browser opens its file dialog only after a user action; without one there would never be a response. */
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
  await waitForUploads(path);
  return path;
}

async function writeClipboard(text: string): Promise<boolean> {
  await navigator.clipboard.writeText(text);
  return true;
}
