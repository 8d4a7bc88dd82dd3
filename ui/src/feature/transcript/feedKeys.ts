/** The direction in which a key moves between the entries of a feed; null if it does something else. */
export function stepOf(event: KeyboardEvent): -1 | 1 | null {
  const { key, target, currentTarget } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(target instanceof Element)) return null;
  // A long text inside an entry scrolls by itself.
  if (target.closest('[tabindex="0"]') !== currentTarget) return null;
  return key === 'PageUp' ? -1 : key === 'PageDown' ? 1 : null;
}

/** The entry at which moving starts: the focused one, else the one at the edge of the view. */
export function startOf(feed: HTMLElement, view: HTMLElement, step: -1 | 1): { n: number; focused: boolean } | null {
  const articles = [...feed.querySelectorAll<HTMLElement>('article')];
  const within = articles.find((article) => article.contains(document.activeElement));
  const { top, bottom } = view.getBoundingClientRect();
  const shown = articles.filter((article) => {
    const place = article.getBoundingClientRect();
    return place.bottom > top && place.top < bottom;
  });
  const start = within ?? (shown.length > 0 ? shown : articles).at(step === 1 ? 0 : -1);
  return start ? { n: Number(start.dataset['entry']), focused: start === within } : null;
}
