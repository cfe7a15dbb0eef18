/** Shows notices through the system, where it can; a click brings the window. */
import { Notification } from 'electron';
import type { Notice } from './notices.ts';

/** Shows one notice. */
export function showNotice({ title, body }: Notice, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  notification.on('click', onClick);
  notification.show();
}
