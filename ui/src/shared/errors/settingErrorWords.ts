import type { LaunchOverrideError, IgnoredWhy, SettingError } from '../../generated/wire';
import { t } from '../messages';
import { list } from '../messages/formats';
import { sizeOf } from '../size';
import { visibly } from '../visible';

/** Why a value was rejected, as the end of a sentence. */
export function wordsOfSettingError(unfit: SettingError): string {
  switch (unfit.unfit) {
    case 'none_of':
      return t('unfit.none_of', { choices: list(unfit.choices) });
    case 'not_between':
      return t('unfit.not_between', { least: unfit.least, most: unfit.most });
    case 'no_list':
      return t('unfit.no_list');
    case 'no_table':
      return t('unfit.no_table');
    case 'too_many':
      return t('unfit.too_many', { most: unfit.most, count: unfit.count });
    case 'argument':
      return t('unfit.argument', { n: unfit.n, flaw: wordsOfFlaw(unfit.flaw) });
    case 'variable':
      return t('unfit.variable', { name: visibly(unfit.name), flaw: wordsOfFlaw(unfit.flaw) });
    case 'no_hours':
      return t('unfit.no_hours');
    case 'no_shortcut':
      return t('unfit.no_shortcut');
    case 'no_name':
      return t('unfit.no_name', { name: visibly(unfit.name) });
    case 'text':
      return visibly(unfit.text);
  }
}

function wordsOfFlaw(flaw: LaunchOverrideError): string {
  switch (flaw.extra) {
    case 'too_long':
      return t('breach.too_long', { most: flaw.most, bytes: flaw.bytes });
    case 'zero':
      return t('unfit.zero');
    case 'own_flag':
      return t('unfit.own_flag', { flag: visibly(flaw.flag) });
    case 'chosen_flag':
      return t('unfit.chosen_flag', { flag: visibly(flaw.flag) });
  }
}

/** Why an entry of the settings file has no effect. */
export function wordsOfIgnored(why: IgnoredWhy): string {
  switch (why.why) {
    case 'unknown':
      return t('ignored.unknown');
    case 'no_value':
      return t('ignored.no_value');
    case 'unfit': {
      const flaw = wordsOfSettingError(why.flaw);
      return why.value === null ? t('ignored.unfit', { flaw }) : t('ignored.unfit_value', { value: visibly(why.value), flaw });
    }
    case 'too_large':
      return t('ignored.too_large', { bytes: sizeOf(why.bytes), most: sizeOf(why.most) });
    case 'no_text':
      return t('ignored.no_text');
    case 'unparsed': {
      const { line, column, error } = why;
      return t('ignored.unparsed', { line: String(line), column: String(column), error: visibly(error) });
    }
    case 'unreadable':
      return t('ignored.unreadable', { error: visibly(why.error) });
  }
}
