/** The file of variables (`.env`): read by a shell, by Docker and by setup. Values that are there are never changed. */

export type Variables = Readonly<Record<string, string>>;

const LINE = /^(?<before>\s*(?:export\s+)?)(?<name>[A-Za-z_][A-Za-z0-9_]*)=(?<value>[^\n]*)$/;

type Line = { readonly before: string; readonly name: string; readonly value: string };

const parseLine = (line: string): Line | null => {
  const { before = '', name, value = '' } = LINE.exec(line)?.groups ?? {};
  return name === undefined ? null : { before, name, value: plainValue(value.trim()) };
};

/** Without quotes, or without the comment behind it. A value goes no further than its line. */
const plainValue = (text: string): string => {
  const [, quoted] = /^(?:"([^"]*)"|'([^']*)')/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (quoted !== undefined) return quoted;
  if (text.startsWith('#')) return '';
  const [value = ''] = text.split(/\s#/);
  return value.trimEnd();
};

/** The last line of a name counts. Variables with an empty value count as missing. `parseEnv` of Node 20 misreads those. */
export const readVariables = (text: string): Variables => {
  const lines = text.split('\n').flatMap((line) => parseLine(line) ?? []);
  const all = new Map(lines.map(({ name, value }) => [name, value]));
  return Object.fromEntries([...all].filter(([, value]) => value !== ''));
};

/** A value that a shell, Docker and Node read alike without quotes. */
export const isPlainValue = (value: string): boolean => /^[A-Za-z0-9_.,:@/%+=~-]+$/.test(value);

/** Puts each value where its name stands last and empty, because the last line counts; else at the end. */
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
