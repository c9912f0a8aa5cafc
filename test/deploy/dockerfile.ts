/** As much of a Dockerfile as ours uses: stages, and in them instructions with their one line of text. */
export type Instruction = { readonly name: string; readonly text: string };

export type Stage = {
  readonly image: string;
  readonly alias: string | null;
  readonly instructions: readonly Instruction[];
};

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

export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { image: string; alias: string | null; instructions: Instruction[] }[] = [];
  for (const instruction of logicalLines(text).map(parseInstruction)) {
    if (instruction.name === 'FROM') {
      const [image = '', , alias = null] = instruction.text.split(' ');
      stages.push({ image, alias, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push(instruction);
    }
  }
  return stages;
}
