/** Handles requests of the host that only a page can fulfill: the file dialog, the clipboard, a link in a new tab. */
import type { PageRequest } from '../page-messages.ts';
import { getPathForFile, uploadFolder, waitForUploads } from './file-paths.ts';

/** Returns the response to a request; `null` if the browser does not allow it. */
export async function handlePageRequest(request: PageRequest, uploadsFolder: string): Promise<unknown> {
  try {
    switch (request.kind) {
      case 'choose-file':
        return await chooseFile(uploadsFolder);
      case 'choose-folder':
        return await chooseFolder(uploadsFolder);
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

async function chooseFile(uploadsFolder: string): Promise<string | null> {
  const [file] = await chooseFiles(false);
  if (file === undefined) return null;
  const path = getPathForFile(file, uploadsFolder);
  await waitForUploads(path);
  return path;
}

async function chooseFolder(uploadsFolder: string): Promise<string | null> {
  const files = await chooseFiles(true);
  return files.length === 0 ? null : await uploadFolder(files, uploadsFolder);
}

/** A browser opens its file dialog only after a user action; without one there would never be a response. */
async function chooseFiles(wholeFolder: boolean): Promise<readonly File[]> {
  if (!navigator.userActivation.isActive) return [];
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = wholeFolder;
  return await new Promise((resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]));
    input.addEventListener('cancel', () => resolve([]));
    input.click();
  });
}

async function writeClipboard(text: string): Promise<boolean> {
  await navigator.clipboard.writeText(text);
  return true;
}
