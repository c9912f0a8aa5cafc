/** As much of a Dockerfile as ours uses: stages, instructions with their one line of text, arguments and their values. */
export type Instruction = { readonly name: string; readonly text: string };

export type Stage = {
  readonly image: string;
  readonly alias: string | null;
  readonly instructions: readonly Instruction[];
};

export type Values = Readonly<Record<string, string>>;

const logicalLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function parseInstruction(line: string): Instruction {
  const match = /^(?<name>[A-Z]+) (?<text>.+)$/.exec(line);
  if (match?.groups === undefined) throw new Error(`not an instruction: ${line}`);
  return { name: match.groups['name'] ?? '', text: match.groups['text'] ?? '' };
}

/** `$NAME`, `${NAME}`, `${NAME:-word}` and `${NAME:+word}`, as the reference of Dockerfiles describes them. */
export const expand = (text: string, values: Values): string =>
  text.replaceAll(/\$(?:\{(\w+)(?::([-+])([^}]*))?\}|(\w+))/g, (_all, braced, how, word, bare) => {
    const value = values[braced ?? bare] ?? '';
    if (how === '+') return value === '' ? '' : word;
    return how === '-' && value === '' ? word : value;
  });

/** What `docker build --build-arg` was given counts for an ARG of that name; else the ARG's own default. */
const argument = (text: string, given: Values): readonly [string, string | null] => {
  const [name = '', standard] = text.split(/=(.*)/s);
  return [name, given[name] ?? standard ?? null];
};

/** An ARG before the first FROM counts in FROM lines; in a stage only after the stage names it again. */
export function parseDockerfile(text: string, given: Values = {}): readonly Stage[] {
  const stages: { image: string; alias: string | null; instructions: Instruction[] }[] = [];
  const global: Record<string, string> = {};
  let known: Record<string, string> = {};
  for (const { name, text: raw } of logicalLines(text).map(parseInstruction)) {
    if (name === 'FROM') {
      const [image = '', , alias = null] = expand(raw, global).split(' ');
      stages.push({ image, alias, instructions: [] });
      known = {};
    } else if (name === 'ARG') {
      const [key, value] = argument(raw, given);
      if (stages.length === 0) global[key] = value ?? '';
      else known[key] = value ?? global[key] ?? '';
    } else {
      // A shell expands the text of RUN itself.
      stages.at(-1)?.instructions.push({ name, text: name === 'RUN' ? raw : expand(raw, known) });
    }
  }
  return stages;
}

/** `NAME=value` and `NAME="value"` of all LABEL or ENV lines. */
export const pairsOf = (stage: Stage | undefined, instruction: 'LABEL' | 'ENV'): Values =>
  Object.fromEntries(
    (stage?.instructions ?? [])
      .filter(({ name }) => name === instruction)
      .flatMap(({ text }) => [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)])
      .map(([, key, quoted, plain]) => [key, quoted ?? plain ?? '']),
  );

/** The list of strings that an instruction has in the last stage; the last one counts. */
export const listOf = (stage: Stage | undefined, instruction: string): readonly string[] => {
  const text = stage?.instructions.findLast(({ name }) => name === instruction)?.text ?? '[]';
  return JSON.parse(text.slice(text.indexOf('[')));
};
