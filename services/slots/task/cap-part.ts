/** Keeps a part of a prompt below its size. */

/** The cap, with the cut stated: a reviewer must know that it did not see everything. `total`: characters, in words. */
export const capPart = (text: string, limit = MAX_PART_CHARACTERS, total = String(text.length)): string => {
  if (text.length <= limit) return text;
  const kept = cutAt(text, limit);
  return `${kept}\n[cut: the first ${kept.length} of ${total} characters; the rest was left out]`;
};

/** Characters of the implementer's output, and of each part of the diff. */
export const MAX_PART_CHARACTERS = 50_000;
/** A surrogate pair is not cut in two. */
const cutAt = (text: string, limit: number): string => {
  const end = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
  return text.slice(0, end);
};
