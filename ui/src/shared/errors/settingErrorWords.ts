import type { CommandError, LaunchOverrideError, IgnoredWhy, PermissionRuleError, SettingError } from '../../generated/wire';
import { t } from '../messages';
import { list } from '../messages/formats';
import { sizeOf } from '../size';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';

const settingErrorWords: UnionWords<SettingError, 'unfit'> = {
  none_of: ({ choices }) => t('unfit.none_of', { choices: list(choices) }),
  not_between: 'unfit.not_between',
  no_list: 'unfit.no_list',
  no_table: 'unfit.no_table',
  too_many: 'unfit.too_many',
  argument: ({ n, flaw }) => t('unfit.argument', { n, flaw: wordsOfFlaw(flaw) }),
  variable: ({ name, flaw }) => t('unfit.variable', { name: visibly(name), flaw: wordsOfFlaw(flaw) }),
  no_hours: 'unfit.no_hours',
  no_shortcut: 'unfit.no_shortcut',
  no_name: 'unfit.no_name',
  command: ({ flaw }) => wordsOfMember(commandErrorWords, 'command', flaw),
  no_rules: 'unfit.no_rules',
  rule: ({ n, flaw }) => t('unfit.rule', { n, flaw: wordsOfMember(ruleErrorWords, 'rule', flaw) }),
  text: ({ text }) => visibly(text),
};

/** Why a value was rejected, as the end of a sentence. */
export function wordsOfSettingError(unfit: SettingError): string {
  return wordsOfMember(settingErrorWords, 'unfit', unfit);
}

const braced = (name: string) => `{${name}}`;

const commandErrorWords: UnionWords<CommandError, 'command'> = {
  too_long: 'validation.too_long',
  zero: 'unfit.zero',
  unclosed: 'unfit.unclosed',
  no_program: 'unfit.no_program',
  unknown_placeholder: ({ name, known }) => t('unfit.unknown_placeholder', { name: visibly(braced(name)), known: list(known.map(braced)) }),
  not_alone: ({ name }) => t('unfit.not_alone', { name: visibly(braced(name)) }),
};

const ruleErrorWords: UnionWords<PermissionRuleError, 'rule'> = {
  no_action: 'unfit.rule_no_action',
  no_tool: 'unfit.rule_no_tool',
  empty: 'unfit.rule_empty',
  too_long: 'validation.too_long',
  control_character: 'unfit.rule_control',
  relative_folder: 'unfit.rule_folder',
  unknown_key: 'unfit.rule_key',
};

const flawWords: UnionWords<LaunchOverrideError, 'extra'> = {
  too_long: 'validation.too_long',
  zero: 'unfit.zero',
  own_flag: 'unfit.own_flag',
  chosen_flag: 'unfit.chosen_flag',
};

function wordsOfFlaw(flaw: LaunchOverrideError): string {
  return wordsOfMember(flawWords, 'extra', flaw);
}

const ignoredWords: UnionWords<IgnoredWhy, 'why'> = {
  unknown: 'ignored.unknown',
  no_value: 'ignored.no_value',
  unfit: (why) => {
    const flaw = wordsOfSettingError(why.flaw);
    return why.value === null ? t('ignored.unfit', { flaw }) : t('ignored.unfit_value', { value: visibly(why.value), flaw });
  },
  too_large: ({ bytes, most }) => t('ignored.too_large', { bytes: sizeOf(bytes), most: sizeOf(most) }),
  no_text: 'ignored.no_text',
  unparsed: ({ line, column, error }) => t('ignored.unparsed', { line: String(line), column: String(column), error: visibly(error) }),
  unreadable: 'ignored.unreadable',
};

/** Why an entry of the settings file has no effect. */
export function wordsOfIgnored(why: IgnoredWhy): string {
  return wordsOfMember(ignoredWords, 'why', why);
}
