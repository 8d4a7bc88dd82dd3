import type { Attachment } from '../../generated/wire';

export function keyOf(attachment: Attachment): string {
  return attachment.attachment === 'image' ? attachment.image : attachment.path;
}

export function isSame(one: Attachment, other: Attachment): boolean {
  return one.attachment === other.attachment && keyOf(one) === keyOf(other);
}

export function nameOf(attachment: Attachment): string {
  if (attachment.attachment === 'image') return attachment.name;
  return attachment.path.split(/[/\\]/).at(-1) ?? attachment.path;
}
