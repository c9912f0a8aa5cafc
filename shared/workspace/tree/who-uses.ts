import { looksLikeTest, type LineRole, roleOfLine } from './definition.ts';
import { grep, type GrepMatch } from './grep.ts';
import type { Tree } from './tree.ts';

export type SymbolUse = GrepMatch & { readonly role: LineRole };

/** The headings of an explorer's notes that this can fill. */
export type WhoUsesSection = {
  readonly heading: 'Callers' | 'Tests' | 'Type Definitions';
  readonly uses: readonly SymbolUse[];
};

export type WhoUses =
  | {
      readonly kind: 'found';
      readonly symbol: string;
      /** `Type Definitions` holds every line that defines the name, of a type or not. */
      readonly sections: readonly WhoUsesSection[];
      /** Why there may be more; null when this is all. */
      readonly notice: string | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** One identifier, as the common languages write it; a name with dots is not one. */
const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]{0,199}$/u;
const MAX_USES = 400;

const escapeForRipgrep = (symbol: string): string => symbol.replaceAll('$', '\\$');

/** Whole words only; `$` counts as a part of a word, which ripgrep's own word boundary does not know. */
const wholeWord = (symbol: string): string => `(?:^|[^\\w$])${escapeForRipgrep(symbol)}(?:$|[^\\w$])`;

const isDefinition = ({ role }: SymbolUse): boolean => role === 'definition' || role === 'type_definition';

const intoSections = (uses: readonly SymbolUse[]): readonly WhoUsesSection[] => {
  const definitions = uses.filter((use) => isDefinition(use) && !looksLikeTest(use.path));
  const tests = uses.filter((use) => looksLikeTest(use.path));
  const callers = uses.filter((use) => !isDefinition(use) && !looksLikeTest(use.path));
  return [
    { heading: 'Callers', uses: callers },
    { heading: 'Tests', uses: tests },
    { heading: 'Type Definitions', uses: definitions },
  ];
};

/**
 * Where an identifier is used and defined in a tree, told apart by the looks of each line. No model and no index: the
 * answer is complete for the text, and a hint for the meaning.
 */
export const whoUses = async (tree: Tree, symbol: string, signal: AbortSignal): Promise<WhoUses> => {
  if (!IDENTIFIER.test(symbol)) return { kind: 'refused', reason: 'not an identifier' };
  const result = await grep(tree, { pattern: wholeWord(symbol), maxMatches: MAX_USES }, signal);
  if (result.kind === 'refused') return result;
  const uses = result.matches.map((match) => ({ ...match, role: roleOfLine(match.path, match.text, symbol) }));
  return { kind: 'found', symbol, sections: intoSections(uses), notice: result.notice };
};

const renderUse = ({ path, line, text, role }: SymbolUse): string =>
  `- ${path}:${line}: ${text.trim()}${role === 'import' ? ' (import)' : ''}`;

/** The answer as notes in Markdown. Paths and code are data of the repository: whoever shows this fences it. */
export const renderWhoUses = (answer: WhoUses & { readonly kind: 'found' }): string => {
  const sections = answer.sections.map(({ heading, uses }) => {
    return `## ${heading}\n\n${uses.length === 0 ? `None found for ${answer.symbol}.` : uses.map(renderUse).join('\n')}\n`;
  });
  return [...sections, ...(answer.notice === null ? [] : [`Incomplete: ${answer.notice}.\n`])].join('\n');
};
