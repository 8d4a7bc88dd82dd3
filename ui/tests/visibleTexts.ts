import { parse } from 'svelte/compiler';

/** Attributes that the browser shows or reads out. */
const ATTRIBUTES = ['title', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'alt'];
/** Props of components and properties of objects whose text is shown. */
const SHOWN = [...ATTRIBUTES, 'label', 'words', 'name', 'note', 'help', 'text', 'submitWords', 'add', 'description'];
/** Properties of elements through which a script shows text. */
const ASSIGNED = ['title', 'textContent', 'innerText', 'innerHTML', 'placeholder', 'alt', 'ariaLabel'];
/** Functions whose texts are for developers: selectors and log lines. */
const UNSEEN = /^(querySelector|querySelectorAll|closest|matches|log|warn|error|debug)$/;

interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []);

/** Whether a text is the key of a message. */
const isKey = (text: string) => /^[a-z_]+(\.[a-z_]+)+$/.test(text);

const hasLetters = (text: string) => /\p{L}/u.test(text);

/** Whether a text reads like a sentence: two words in a row, or letters that no identifier here has. */
const isProse = (text: string) => /\p{L}{2,}[,;:.]? \p{L}{2,}/u.test(text) || /[^\p{ASCII}]/u.test(text.replace(/\P{L}/gu, ''));

/** The texts in the code of a component or a module that the user would see and that are not from a catalog. */
export function visibleTexts(source: string, kind: 'svelte' | 'ts'): string[] {
  const { fragment, instance, module } = parse(kind === 'svelte' ? source : `<script module lang="ts">${source}</script>`, {
    modern: true,
  });
  const found: string[] = [];
  const report = (texts: string[], matters: (text: string) => boolean) => {
    found.push(...texts.filter((text) => matters(text) && !isKey(text)).map((text) => text.trim().replace(/\s+/g, ' ')));
  };

  const visit = (node: Node, component: string | null = null): void => {
    switch (node.type) {
      case 'Text':
        return report([String(node['data'])], hasLetters);
      case 'Comment':
      case 'ImportDeclaration':
      case 'ThrowStatement':
      case 'StyleDirective':
        return;
      case 'ExportNamedDeclaration':
        for (const child of nodesIn(node['declaration'])) visit(child);
        return;
      case 'ExpressionTag':
        report(valuesOf(node['expression']), hasLetters);
        break;
      case 'Attribute':
        return attribute(node, component);
      case 'Property':
        if (SHOWN.includes(nameOf(node['key']))) report(valuesOf(node['value']), hasLetters);
        break;
      case 'AssignmentExpression':
        if (ASSIGNED.includes(nameOf((node['left'] as Node)['property']))) report(valuesOf(node['right']), hasLetters);
        break;
      case 'CallExpression': {
        const called = node['callee'] as Node;
        const name = nameOf(called['property'] ?? called);
        if (UNSEEN.test(name)) return;
        const [first, second] = node['arguments'] as Node[];
        if (name === 'setAttribute' && ATTRIBUTES.includes(String(first?.['value']))) report(valuesOf(second), hasLetters);
        break;
      }
      case 'Literal':
        report(valuesOf(node), isProse);
        break;
      case 'TemplateElement':
        report([textOf(node)], isProse);
        break;
      default:
        if (/^TS(?!As|Satisfies|NonNull)/.test(node.type)) return;
    }
    const inside = node.type === 'Component' || node.type === 'SvelteComponent' ? String(node['name']) : null;
    for (const value of Object.values(node)) for (const child of nodesIn(value)) visit(child, inside);
  };

  function attribute(node: Node, component: string | null) {
    const name = String(node['name']);
    const parts = nodesIn(node['value']);
    const texts = parts.flatMap((part) => (part.type === 'Text' ? [String(part['data'])] : valuesOf(part['expression'])));
    // An icon's name chooses its picture.
    const shown = component === null ? ATTRIBUTES.includes(name) : SHOWN.includes(name) && component !== 'Icon';
    if (shown) report(texts, hasLetters);
    else if (component !== null && name !== 'class') report(texts, isProse);
    for (const part of parts) if (part.type === 'ExpressionTag') visitInside(part['expression']);
  }

  /** The expression of an attribute may hold further texts, such as the items of a menu. */
  function visitInside(expression: unknown) {
    for (const node of nodesIn(expression)) if (!['Literal', 'TemplateLiteral', 'ConditionalExpression'].includes(node.type)) visit(node);
  }

  for (const part of [fragment, instance?.content, module?.content]) for (const node of nodesIn(part)) visit(node);
  return [...new Set(found)];
}

/** The texts that an expression can have as its value, without those that it passes on to a function. */
function valuesOf(expression: unknown): string[] {
  const [node] = nodesIn(expression);
  switch (node?.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? [node['value']] : [];
    case 'TemplateLiteral':
      return [...nodesIn(node['quasis']).map(textOf), ...nodesIn(node['expressions']).flatMap(valuesOf)];
    case 'ConditionalExpression':
      return [...valuesOf(node['consequent']), ...valuesOf(node['alternate'])];
    case 'LogicalExpression':
      return [...valuesOf(node['left']), ...valuesOf(node['right'])];
    case 'BinaryExpression':
      return node['operator'] === '+' ? [...valuesOf(node['left']), ...valuesOf(node['right'])] : [];
    case 'ArrayExpression':
      return nodesIn(node['elements']).flatMap(valuesOf);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return valuesOf(node['expression']);
    default:
      return [];
  }
}

function textOf(quasi: Node): string {
  return (quasi['value'] as { cooked: string | null }).cooked ?? '';
}

function nameOf(node: unknown): string {
  const [named] = nodesIn(node);
  return String(named?.['name'] ?? named?.['value'] ?? '');
}
