export interface MenuItem {
  id: string;
  words: string;
  /** The keys that do the same without the menu. */
  keys?: string;
  danger?: boolean;
  /** Set where one of the items is the present choice. */
  checked?: boolean;
}

/** Where a menu opens, in pixels of the window. */
export interface MenuPlace {
  x: number;
  y: number;
}
