import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

import { bundledPackages } from './bundledPackages.ts';
import { firstScript } from './firstScript.ts';

export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [svelte(), svelteTesting(), firstScript(), bundledPackages()],
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: '127.0.0.1' },
  build: {
    target: 'safari17',
    // The policy allows neither inline scripts nor data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // While a stylesheet loads, WebKit lays out no new element and its ResizeObserver reports 0 x 0, which the list of
    // entries takes for their size. So no lazily loaded part brings a stylesheet of its own.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Each file comes by way of the window's own thread, so few are better than many: what subscribes and holds the state,
        // and what nearly every start shows next.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            { name: 'desk', test: /[\\/]view[\\/]App\.svelte$/ },
          ],
        },
        // WebKit keeps a source with any other character in two bytes per character.
        charset: 'ascii',
      },
      // The gallery is a page of its own and never part of the app.
      ...(mode === 'gallery' && { input: 'gallery.html' }),
    },
  },
  test: {
    environment: 'jsdom',
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/jsdom.ts', 'tests/setup.ts'],
    sequence: { setupFiles: 'list' },
    restoreMocks: true,
    // The files share the page's modules, which takes half the time; tests/setup.ts sets back what they change.
    isolate: false,
    // Generous, because a slow machine is no fault of the window.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
}));
