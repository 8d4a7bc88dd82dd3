/** The sizes of text that are offered, in percent. The settings file takes others too. */
export const TEXT_SIZES = [80, 90, 100, 110, 125, 150, 175, 200] as const;

export const NORMAL_SIZE = 100;
