import { inLanguage } from './messages/formats';

const unit = (name: 'byte' | 'kilobyte' | 'megabyte', digits: number) =>
  inLanguage(
    (locale) =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: name,
        unitDisplay: name === 'byte' ? 'long' : 'short',
        maximumFractionDigits: digits,
      }),
  );

const bytesOf = unit('byte', 0);
const kilobytesOf = unit('kilobyte', 0);
const megabytesOf = unit('megabyte', 1);

const KILO = 1024;

/** Formats a number of bytes for display. */
export function sizeOf(bytes: number): string {
  if (bytes < KILO) return bytesOf().format(bytes);
  if (bytes < KILO * KILO) return kilobytesOf().format(bytes / KILO);
  return megabytesOf().format(bytes / KILO / KILO);
}
