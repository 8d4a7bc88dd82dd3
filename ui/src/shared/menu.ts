export interface MenuItem {
  id: string;
  words: string;
  /** The keyboard shortcut of the item. */
  keys?: string;
  danger?: boolean;
  /** Set if one of the items is the current choice. */
  checked?: boolean;
}

/** Where a menu opens, in window pixels. */
export interface MenuPlace {
  x: number;
  y: number;
  /** Where the menu ends instead if there is no room below. */
  above?: number;
}
