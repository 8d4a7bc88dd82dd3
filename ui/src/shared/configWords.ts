import type { ConfigCategory, ConfigId, ConfigOption, ConfigValue, ValueId } from '../generated/wire';
import { lookUp, t, translated, type MessageKey } from './messages';
import { visibly } from './visible';

/** The order in which what can be chosen is shown. */
const order = ['mode', 'model', 'effort', 'other'] as const satisfies readonly ConfigCategory[];

const optionWords = {
  mode: 'start.mode',
  model: 'start.model',
  effort: 'start.effort',
} as const satisfies Record<Exclude<ConfigCategory, 'other'>, MessageKey>;

/** The options in the order in which they are shown. */
export function inOrder(config: readonly ConfigOption[]): ConfigOption[] {
  return order.flatMap((category) => config.filter((option) => option.category === category));
}

/** The value an option lists under an id. */
export function valueOf(option: ConfigOption, id: ValueId | null): ConfigValue | null {
  return option.values.find((value) => value.id === id) ?? null;
}

/** What an option is called; where several are about the same, only the agent's own names tell them apart. */
export function wordsOfConfig(option: ConfigOption, config: readonly ConfigOption[]): string {
  const { category } = option;
  if (category === 'other') return lookUp(`config.${option.id}`) ?? visibly(option.name);
  const alone = config.every((other) => other === option || other.category !== category);
  return alone ? t(optionWords[category]) : visibly(option.name);
}

/** What a value is called: the agent's own name, translated where the catalogue knows it. */
export function wordsOfValue(option: ConfigOption, id: ValueId): string {
  const name = valueOf(option, id)?.name ?? id;
  switch (option.category) {
    case 'mode':
      return visibly(translated(`mode.${id}`, name));
    case 'effort':
      return visibly(translated(`effort.${id}`, name));
    case 'model':
    case 'other':
      return visibly(name);
  }
}

/** What a value of a mode or of an option of the agent's own does. */
export function hintOfValue(option: ConfigOption, id: ValueId): string | null {
  const description = valueOf(option, id)?.description ?? null;
  if (description === null) return null;
  switch (option.category) {
    case 'mode':
      return visibly(translated(`mode_hint.${id}`, description));
    case 'other':
      return visibly(description);
    case 'model':
    case 'effort':
      return null;
  }
}

/** What a value of an option is called that the session may no longer have. */
export function wordsOfChoice(config: readonly ConfigOption[], option: ConfigId, value: ValueId): string {
  const known = config.find((one) => one.id === option);
  return known ? wordsOfValue(known, value) : visibly(value);
}

/** Whether the agent asks for nothing with a value. */
export function isUnattended(config: readonly ConfigOption[], option: ConfigId, value: ValueId | null): boolean {
  const known = config.find((one) => one.id === option);
  return known !== undefined && valueOf(known, value)?.risk === 'unattended';
}
