import type { UnappliedReason, UnappliedSetting } from '../../generated/wire';
import { wordsOfMember, type UnionWords } from '../../shared/unionWords';

const reasonWords: UnionWords<UnappliedReason, 'why'> = {
  own_folder: 'unmet.own_folder',
  taken: 'unmet.taken',
  wayland: 'unmet.wayland',
  system: 'unmet.system',
};

/** Why the system doesn't apply a setting; null if it does. */
export function wordsOfUnmet(unmet: readonly UnappliedSetting[], id: string): string | null {
  const why = unmet.find(({ setting }) => setting === id)?.why;
  return why ? wordsOfMember(reasonWords, 'why', why) : null;
}
