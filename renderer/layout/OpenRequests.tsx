/** Handles links and files opened with the app, and lease files dropped on the window. */
import { useEffect } from 'react';
import type { OpenRequest } from '../../shared/ipc/open-request.ts';
import { hasScreens } from '../../shared/ipc/works-signed-out.ts';
import { LazyDialog, lazyComponent } from '../components/LazyContent.tsx';
import { showToast } from '../components/toast-store.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import {
  type ActivationRequest,
  closeOpenRequest,
  goToPlace,
  importLeaseFile,
  isLeaseFile,
  showLeaseImport,
  useOpening,
} from '../open-request.ts';
import { showShortcuts, showSignIn, useApp } from '../store.ts';

// Loaded on first use.
const ImportLeaseDialog = lazyComponent(
  async () => (await import('../routes/ImportLeaseDialog.tsx')).ImportLeaseDialog,
);
const LinkActivationDialog = lazyComponent(
  async () => (await import('../routes/LinkActivationDialog.tsx')).LinkActivationDialog,
);

/** Waits while the app is starting, because it is not yet known who is signed in. */
export function OpenRequests() {
  const { t } = useMessages();
  const request = useOpening((opening) => opening.request);
  const activation = useOpening((opening) => opening.activation);
  const leaseImport = useOpening((opening) => opening.leaseImport);
  const isStarting = useApp((app) => app.session.kind === 'starting');
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const isOpen = useApp(hasScreens);
  useDroppedLease(t);
  useEffect(() => {
    if (request !== null && !isStarting) follow(request, isOpen, t);
  }, [request, isStarting, isOpen, t]);
  useEffect(() => {
    // A lease works without sign-in, an activation does not.
    if (activation !== null && !isStarting && isOpen) showSignIn(true);
  }, [activation, isStarting, isOpen]);
  if (isStarting) return null;
  return (
    <>
      {activation !== null && isSignedIn && (
        <LazyDialog key={activation.id} onClose={() => closeOpenRequest(activation)}>
          <LinkActivationDialog request={activation} />
        </LazyDialog>
      )}
      {leaseImport !== null && (
        <LazyDialog onClose={() => showLeaseImport(null)}>
          <ImportLeaseDialog leaseImport={leaseImport} />
        </LazyDialog>
      )}
    </>
  );
}

/** Carries out a request. `isOpen`: the window shows its screens and can switch to one. */
function follow(request: Exclude<OpenRequest, ActivationRequest>, isOpen: boolean, t: Translate): void {
  switch (request.kind) {
    case 'place':
      if (!isOpen) return;
      goToPlace(request.place);
      break;
    case 'import-lease':
      showLeaseImport(request.file === null ? { kind: 'choose' } : { kind: 'file', ...request.file });
      break;
    case 'shortcuts':
      if (isOpen) showShortcuts(true);
      break;
    case 'unreadable-file':
      showToast(sayUnreadable(request, t), 'blocked');
      break;
    case 'unknown-link':
      showToast(t('link.unknown'), 'blocked');
  }
  closeOpenRequest(request);
}

function sayUnreadable(
  { fileName, fileProblem }: Extract<OpenRequest, { readonly kind: 'unreadable-file' }>,
  t: Translate,
): string {
  const what = t('offline.unreadable', { name: fileName });
  return fileProblem === undefined ? what : `${what} ${t(`fileProblem.${fileProblem}`)}`;
}

/** Imports a lease file dropped on the window; drop areas with their own handler stop their drops from reaching it. */
function useDroppedLease(t: Translate): void {
  useEffect(() => {
    const onDrop = ({ dataTransfer }: DragEvent) => {
      const [file, ...others] = dataTransfer?.files ?? [];
      if (file === undefined || !isLeaseFile(file)) return;
      if (others.length > 0) return showToast(t('offline.oneFile'), 'blocked');
      void importLeaseFile(file).then((isRead) => {
        if (!isRead) showToast(t('offline.unreadable', { name: file.name }), 'blocked');
      });
    };
    window.addEventListener('drop', onDrop);
    return () => window.removeEventListener('drop', onDrop);
  }, [t]);
}
