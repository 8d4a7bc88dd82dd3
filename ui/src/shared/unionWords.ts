import { t, type MessageKey, type Params } from './messages';
import { visibly } from './visible';

/** The keys whose values a member of a union has among its fields. */
type KeyFor<Member> = { [K in MessageKey]: Member extends Params<K> ? K : never }[MessageKey];

/**
 * The text of each member of a tagged union: the key of a message that takes the member's fields as its values, or a
 * function for everything else.
 */
export type UnionWords<Union extends Record<Tag, string>, Tag extends keyof Union> = {
  readonly [Member in Union as Member[Tag]]: KeyFor<Member> | ((member: Member) => string);
};

/** Returns the text of a member of a union, with every character of its fields visible. */
export function wordsOfMember<Union extends Record<Tag, string>, Tag extends keyof Union>(
  words: UnionWords<Union, Tag>,
  tag: Tag,
  member: Union,
): string {
  // TypeScript can't relate the member to its entry.
  const own = words[member[tag] as keyof typeof words] as unknown;
  if (typeof own === 'function') return own(member) as string;
  const shown = Object.entries(member).map(([name, value]) => [name, typeof value === 'string' ? visibly(value) : value]);
  return t(own as 'validation.other', Object.fromEntries(shown) as Params<'validation.other'>);
}
