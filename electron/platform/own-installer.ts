/** Finds the installer that this installation came from, where it is still there. */
import { access } from 'node:fs/promises';

/** The AppImage that is running; elsewhere the installer is gone by the time that the app runs, so `null`. */
export async function findOwnInstaller(): Promise<string | null> {
  const path = process.env.APPIMAGE;
  if (!path) return null;
  try {
    await access(path);
    return path;
  } catch {
    return null;
  }
}
