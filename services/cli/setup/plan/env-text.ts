/** The file of variables (`.env`): read by a shell, by Docker and by setup. Values that are there are never changed. */
import { parseEnv } from 'node:util';

export type Variables = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables with an empty value count as missing. `parseEnv` of Node 20 takes some comments for variables. */
export const readVariables = (text: string): Variables =>
  Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) =>
      value === undefined || value === '' || !NAME.test(name) ? [] : [[name, value]],
    ),
  );

/** A value that a shell, Docker and Node read alike without quotes. */
export const isPlainValue = (value: string): boolean => /^[A-Za-z0-9_.,:/@%+=~-]+$/.test(value);

/** Puts each value where its name stands with an empty value, else at the end. */
export const addVariables = (text: string, values: Variables): string => {
  const known = readVariables(text);
  const left = new Map(Object.entries(values).filter(([name]) => known[name] === undefined));
  const lines = text.split('\n').map((line) => {
    const [, before = '', name = ''] =
      /^(\s*(?:export\s+)?)([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:#.*)?(?:""|'')?\s*$/.exec(line) ?? [];
    const value = left.get(name);
    if (value === undefined) return line;
    left.delete(name);
    return `${before}${name}=${value}`;
  });
  const kept = lines.join('\n');
  if (left.size === 0) return kept;
  const added = [...left].map(([name, value]) => `${name}=${value}\n`).join('');
  return `${kept}${kept === '' || kept.endsWith('\n') ? '' : '\n'}${added}`;
};
