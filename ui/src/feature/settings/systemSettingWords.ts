import type { UnappliedSetting } from '../../generated/wire';
import { t } from '../../shared/messages';
import { visibly } from '../../shared/visible';

/** Why the system doesn't apply a setting; null if it does. */
export function wordsOfUnmet(unmet: readonly UnappliedSetting[], id: string): string | null {
  const why = unmet.find(({ setting }) => setting === id)?.why;
  switch (why?.why) {
    case undefined:
      return null;
    case 'own_folder':
      return t('unmet.own_folder');
    case 'taken':
      return t('unmet.taken');
    case 'wayland':
      return t('unmet.wayland');
    case 'system':
      return t('unmet.system', { error: visibly(why.error) });
  }
}
