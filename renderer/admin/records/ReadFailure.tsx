/** Why something could not be read, with a button that reads everything on screen again. */
import { useQueryClient } from '@tanstack/react-query';
import type { Failure } from '../../../shared/ipc/result.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { readAgain } from '../api/queries.ts';
import { useMessages } from '../i18n/messages.ts';

export function ReadFailure({ failure }: { readonly failure: Failure }) {
  const { t } = useMessages();
  const queries = useQueryClient();
  return (
    <FailureAlert
      failure={failure}
      actions={<ActionButton onPress={() => void readAgain(queries)}>{t('common.retry')}</ActionButton>}
    />
  );
}
