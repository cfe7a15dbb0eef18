/** When the server last answered; while it does not, why, behind a fold that opens over the page. */
import { Info } from 'lucide-react';
import { Button, Dialog, DialogTrigger, Heading, Popover } from 'react-aria-components';
import { Ago } from '../components/Ago.tsx';
import { DoctorButton } from '../components/DoctorButton.tsx';
import { FailureDetails } from '../components/FailureDetails.tsx';
import { failureSentence } from '../i18n/failure-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';

export function LastContact() {
  const { t } = useSentences();
  const reachability = useApp((app) => app.server.reachability);
  const checkedAt = useApp((app) => (app.session.kind === 'signed-in' ? app.session.account?.checkedAt : undefined));
  if (reachability.kind !== 'offline') {
    if (checkedAt === undefined) return null;
    return (
      // Hidden from the live region around it, which would read itself aloud each minute.
      <span className="state-checked" aria-hidden>
        {t('license.checked')} <Ago at={checkedAt} />
      </span>
    );
  }
  const { what, help } = failureSentence(reachability.failure, t);
  return (
    <DialogTrigger>
      <Button className="button button-quiet">
        <Info className="icon" aria-hidden />
        <span className="button-text">{t('license.details')}</span>
      </Button>
      <Popover className="popover popover-words" placement="bottom end">
        <Dialog className="dialog">
          {({ close }) => (
            <>
              <Heading slot="title">{what}</Heading>
              <p className="dialog-text">
                {help}{' '}
                {reachability.nextTryAt !== null && (
                  <span>
                    {t('license.nextTry')} <Ago at={reachability.nextTryAt} />.
                  </span>
                )}
              </p>
              <DoctorButton onPress={close} />
              <FailureDetails failure={reachability.failure} />
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
