import type { ConfigCategory, ConfigId, ConfigOption, ConfigValue, Risk, ValueId } from '../generated/wire';
import { lookUp, t, translated, type MessageKey } from './messages';
import { visibly } from './visible';

/** The display order of config options. */
const order = ['mode', 'model', 'effort', 'other'] as const satisfies readonly ConfigCategory[];

const optionWords = { model: 'start.model', effort: 'start.effort' } as const satisfies Partial<Record<ConfigCategory, MessageKey>>;

/** Sorts options into display order. */
export function inOrder(config: readonly ConfigOption[]): ConfigOption[] {
  return order.flatMap((category) => config.filter((option) => option.category === category));
}

/** Finds an option's value by its id. */
export function valueOf(option: ConfigOption, id: ValueId | null): ConfigValue | null {
  return option.values.find((value) => value.id === id) ?? null;
}

/** The label of an option: the only model and the only effort have the same label for every agent. */
export function wordsOfConfig(option: ConfigOption, config: readonly ConfigOption[]): string {
  const { category } = option;
  if (category === 'other') return lookUp(`config.${option.id}`) ?? visibly(option.name);
  const alone = config.every((other) => other === option || other.category !== category);
  if (alone && category !== 'mode') return t(optionWords[category]);
  return visibly(translated(`config.${option.id}`, option.name));
}

/** The label of a value: the catalog's translation if there is one, otherwise the agent's own name. */
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

/** The description of a permission mode's value, or of a value of an agent-specific option; without a value, what then applies. */
export function hintOfValue(option: ConfigOption, id: ValueId): string | null {
  if (id === '' && option.fallback !== undefined) return t('start.value_fallback', { value: wordsOfValue(option, option.fallback) });
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

/** The label of a value, even if the session no longer offers its option. */
export function wordsOfChoice(config: readonly ConfigOption[], option: ConfigId, value: ValueId): string {
  const known = config.find((one) => one.id === option);
  return known ? wordsOfValue(known, value) : visibly(value);
}

/** How risky a value is; what isn't listed is as usual. */
export function riskOf(config: readonly ConfigOption[], option: ConfigId, value: ValueId | null): Risk {
  const known = config.find((one) => one.id === option);
  return (known && valueOf(known, value)?.risk) ?? 'usual';
}
