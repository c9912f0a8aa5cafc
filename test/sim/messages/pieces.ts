/** Characters per delta; small, so that even short texts have several deltas. */
const DELTA_CHARACTERS = 40;

/** The text in the pieces in which a stream sends it. */
export const slices = (text: string): readonly string[] => {
  const characters = Array.from(text);
  const size = Math.max(DELTA_CHARACTERS, Math.ceil(characters.length / 200));
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += size) parts.push(characters.slice(at, at + size).join(''));
  return parts;
};
