import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import type { Plugin } from 'vite';

/** Read by `xtask/src/licenses`, relative to this folder; beside `dist`, because the app contains everything in there. */
const LIST = '../target/page-packages.json';

/** The folder of the package that a file belongs to. */
const PACKAGE = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Lists the folders of all packages that something in the page comes from: scripts, icons, and fonts. */
export function bundledPackages(): Plugin {
  return {
    name: 'bundled-packages',
    apply: (_, { command, mode }) => command === 'build' && mode !== 'gallery',
    generateBundle(_, bundle) {
      const files = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : file.originalFileNames));
      const folders = files.map((file) => PACKAGE.exec(file.replaceAll('\\', '/'))?.[0]);
      const packages = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
      const list = resolve(import.meta.dirname, LIST);
      mkdirSync(dirname(list), { recursive: true });
      writeFileSync(list, JSON.stringify(packages));
    },
  };
}
