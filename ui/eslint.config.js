import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import js from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';

/** The folders of the page, lowest first. A file imports from its own folder or a lower one. */
const tiers = ['generated', 'platform', 'shared', 'entities', 'store', 'feature', 'view', 'testing', 'gallery'];
const folders = tiers.map((tier) => `./src/${tier}`);
const upward = folders.slice(0, -1).map((target, at) => ({ target, from: folders.slice(at + 1), message: 'It is a higher tier.' }));
const across = readdirSync(new URL('src/feature', import.meta.url)).map((feature) => ({
  target: `./src/feature/${feature}`,
  from: './src/feature',
  except: [`./${feature}`],
  message: 'Features don’t import each other; put them together in view.',
}));
const shell = { target: './{src,tests}/**/!(bridge.ts)', from: './node_modules/@tauri-apps', message: 'Go through platform/bridge.ts.' };

export default defineConfig(
  { ignores: ['dist', 'src/generated'] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  {
    languageOptions: { parserOptions: { parser: ts.parser } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.svelte'],
      'import-x/parsers': {
        '@typescript-eslint/parser': ['.ts'],
        [fileURLToPath(new URL('svelteScripts.js', import.meta.url))]: ['.svelte'],
      },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.svelte'] })],
    },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': ['error', { zones: [...upward, ...across, shell] }],
      // tsc reports both.
      'no-undef': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
      // The page takes control characters and combining ones out of the texts of agents.
      'no-control-regex': 'off',
      'no-misleading-character-class': 'off',
      // `{' '}` is a space that the compiler must not drop.
      'svelte/no-useless-mustaches': 'off',
      // Sets and maps are replaced by a changed copy.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
);
