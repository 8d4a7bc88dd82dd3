import ts from 'typescript-eslint';

/** Parses a component's scripts alone. ESLint's rule against import circles sees no imports in a parsed `<script>`. */
export const parseForESLint = (text, options) =>
  ts.parser.parseForESLint(Array.from(text.matchAll(/<script[^>]*>([^]*?)<\/script>/g), ([, script]) => script).join('\n'), options);
