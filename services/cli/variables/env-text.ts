/** Reads and writes the environment file (`.env`) for a shell, for Docker and for setup. Existing values are never changed. */

export type Variables = Readonly<Record<string, string>>;

const LINE = /^(?<before>\s*(?:export\s+)?)(?<name>[A-Za-z_][A-Za-z0-9_]*)=(?<value>[^\n]*)$/;

type Line = { readonly before: string; readonly name: string; readonly value: string };

const parseLine = (line: string): Line | null => {
  const { before = '', name, value = '' } = LINE.exec(line)?.groups ?? {};
  return name === undefined ? null : { before, name, value: plainValue(value.trim()) };
};

/** Removes the quotes, or the comment after the value. A value ends at the end of its line. */
const plainValue = (text: string): string => {
  const [, quoted] = /^(?:"([^"]*)"|'([^']*)')/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (quoted !== undefined) return quoted;
  if (text.startsWith('#')) return '';
  const [value = ''] = text.split(/\s#/);
  return value.trimEnd();
};

/**
 * The last line of a variable counts. Empty variables count as missing. `parseEnv` of Node 20 is not used, because it
 * misreads empty variables.
 */
export const readVariables = (text: string): Variables => {
  const lines = text.split('\n').flatMap((line) => parseLine(line) ?? []);
  const all = new Map(lines.map(({ name, value }) => [name, value]));
  return Object.fromEntries([...all].filter(([, value]) => value !== ''));
};

/** Returns true for a value that a shell, Docker and Node read in the same way without quotes. */
export const isPlainValue = (value: string): boolean => /^[A-Za-z0-9_.,:@/%+=~-]+$/.test(value);

/** Fills the last line of each variable, if that line is empty, because the last line counts. Otherwise appends a line. */
export const addVariables = (text: string, values: Variables): string => {
  const known = readVariables(text);
  const left = new Map(Object.entries(values).filter(([name]) => known[name] === undefined));
  const filled = text
    .split('\n')
    .toReversed()
    .map((line) => {
      const named = parseLine(line);
      const value = named === null ? undefined : left.get(named.name);
      if (named === null || value === undefined || named.value !== '') return line;
      left.delete(named.name);
      return `${named.before}${named.name}=${value}`;
    });
  const kept = filled.toReversed().join('\n');
  if (left.size === 0) return kept;
  const added = [...left].map(([name, value]) => `${name}=${value}\n`).join('');
  return `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}${added}`;
};
