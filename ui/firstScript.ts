import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';

/** The largest first script, in bytes. */
const MOST_BYTES = 200_000;

/** What nobody sees before the app has answered: components, catalogs, and what draws Markdown, icons, and lists. */
const UNSEEN_AT_FIRST =
  /\.svelte$|src\/(feature|view)\/(?!lazy\.ts)|messages\/(en|de|zh)(\.ts|\/(?!agents\.ts))|shared\/(markdown|highlight|grammars)\.ts|node_modules\/(marked|lowlight|highlight\.js|virtua|lucide-static)\//;

/** Of these, what the window has from the start is in the second script, and the rest is loaded later. */
const UNSEEN_AT_START =
  /(Dialog|MarkdownText|(Changes|History|Inbox|Palette)View)\.svelte$|messages\/(en|de|zh)(\.ts|\/)|shared\/(markdown|grammars)\.ts|node_modules\/(marked|lowlight|highlight\.js)\//;

/** Has the second script fetched together with the first, and fails the build if the first one grows or holds what it doesn't need. */
export function firstScript(): Plugin {
  return {
    name: 'first-script',
    apply: (_, { command, mode }) => command === 'build' && mode !== 'gallery',
    generateBundle(_, bundle) {
      const first = chunkNamed(bundle, 'first');
      const size = Buffer.byteLength(first.code);
      if (size > MOST_BYTES) this.error(`The first script has ${size} bytes, more than ${MOST_BYTES}.`);
      const stray = [...strayIn(first, UNSEEN_AT_FIRST), ...strayIn(chunkNamed(bundle, 'desk'), UNSEEN_AT_START)];
      if (stray.length > 0) this.error(`These are loaded too early:\n${stray.join('\n')}`);
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }): HtmlTagDescriptor[] =>
        ['App', 'desk'].map((name) => ({
          tag: 'link',
          injectTo: 'head',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${chunkNamed(bundle, name).fileName}` },
        })),
    },
  };
}

function chunkNamed(bundle: Rolldown.OutputBundle, name: string): Rolldown.OutputChunk {
  const found = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === name);
  if (found?.type !== 'chunk') throw new Error(`There is no script named ${name}.`);
  return found;
}

/** Modules without code, such as those of types, don't count. */
function strayIn({ name, modules }: Rolldown.OutputChunk, unwanted: RegExp): string[] {
  const own = Object.entries(modules).filter(([, { code }]) => code !== null && code !== '');
  return own.filter(([id]) => unwanted.test(id.replaceAll('\\', '/'))).map(([id]) => `${id} in ${name}`);
}
