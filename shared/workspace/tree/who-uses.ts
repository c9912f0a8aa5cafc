import { type LineRole, roleOfLine } from './definition.ts';
import { looksLikeTest } from './known-tests.ts';
import { grep, type GrepMatch } from './grep.ts';
import type { Tree } from './tree.ts';

export type SymbolUse = GrepMatch & { readonly role: LineRole };

/** The headings of the explorer's notes that this search can fill. */
export type WhoUsesSection = {
  readonly heading: 'Callers' | 'Tests' | 'Type Definitions';
  readonly uses: readonly SymbolUse[];
};

export type WhoUses =
  | {
      readonly kind: 'found';
      readonly symbol: string;
      /** The section `Type Definitions` contains every line that defines the name, whether it is a type or not. */
      readonly sections: readonly WhoUsesSection[];
      /** Why there may be more uses; null when the list is complete. */
      readonly notice: string | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** A single identifier. A name with dots does not match. */
const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]{0,199}$/u;
const MAX_USES = 400;

const escapeForRipgrep = (symbol: string): string => symbol.replaceAll('$', '\\$');

/** Matches whole words only. `$` counts as part of a word, which ripgrep's own word boundary does not support. */
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
 * Finds uses and definitions of an identifier in the text of each line. Every occurrence is found, but its role (use or
 * definition) is guessed.
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

/** Renders Markdown. Paths and code come from the repository, so the caller must put them in a code fence. */
export const renderWhoUses = (answer: WhoUses & { readonly kind: 'found' }): string => {
  const sections = answer.sections.map(({ heading, uses }) => {
    return `## ${heading}\n\n${uses.length === 0 ? `None found for ${answer.symbol}.` : uses.map(renderUse).join('\n')}\n`;
  });
  return [...sections, ...(answer.notice === null ? [] : [`Incomplete: ${answer.notice}.\n`])].join('\n');
};
